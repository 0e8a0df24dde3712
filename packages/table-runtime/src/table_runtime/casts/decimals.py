"""Exact decimals: rounding half up to a scale, and NULL where a value has too many digits."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exact_decimals import absolute, rounded

__all__ = ["fit_decimal", "rescale", "round_half_up"]


def fit_decimal(value: Decimal | None, precision: int, scale: int) -> Decimal | None:
    """Returns the value rounded half up to ``scale`` digits behind the point, or None if it is no number of ``precision`` digits."""
    if value is None or not value.is_finite() or value.adjusted() > 80:
        return None
    fitted = rounded(value, scale)
    if fitted.is_zero():
        return absolute(fitted)
    return fitted if fitted.adjusted() < precision - scale else None


def round_half_up(values: Any, scale: int) -> Any:
    """Returns values with everything behind ``scale`` digits rounded away (ties away from zero), scale unchanged, with room to carry."""
    source = values.type
    narrow = pa.types.is_decimal128(source) and source.precision < 38
    wide = pc.cast(values, pa.decimal128(38, source.scale) if narrow else pa.decimal256(76, source.scale))
    return pc.round(wide, scale, round_mode="half_towards_infinity") if source.scale > scale else wide


def rescale(values: Any, precision: int, scale: int) -> Any:
    """Returns the decimals as DECIMAL(precision, scale), rounded half up; NULL where they do not fit."""
    source = values.type
    target = pa.decimal128(precision, scale)
    if source.equals(target):
        return values
    if scale >= source.scale and precision - scale >= source.precision - source.scale and pa.types.is_decimal128(source):
        return pc.cast(values, target)
    if scale > source.scale and source.precision + scale - source.scale > 76:
        return pa.array([fit_decimal(value, precision, scale) for value in values.to_pylist()], target)
    cut = round_half_up(values, scale)
    if precision - scale <= source.precision - source.scale:
        limit = pc.cast(pa.scalar(Decimal(10 ** (precision - scale)), pa.decimal256(76, source.scale)), cut.type)
        fits = pc.less(pc.abs(cut), limit)
        cut = pc.if_else(fits, cut, pa.scalar(None, cut.type))
    if scale <= source.scale and pa.types.is_decimal128(cut.type):
        return pc.cast(cut, target)
    return pc.cast(pc.cast(cut, pa.decimal256(76, scale)), target)
