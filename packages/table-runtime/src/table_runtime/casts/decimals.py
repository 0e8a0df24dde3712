"""Exact decimals: rounding half up to a scale, and NULL where a value has too many digits."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_common.exact_decimals import ROUND_DOWN, ROUND_HALF_UP, absolute, rounded
from table_runtime.casts.unscaled import fits_digits, retyped

_ROUNDED_DIGITS = 32
"""Results of ``pyarrow.compute.round`` with this number of digits may be wrong, if digits are dropped."""
_PYTHON_MODES = {"half_towards_infinity": ROUND_HALF_UP, "towards_zero": ROUND_DOWN}


def fit_decimal(value: Decimal | None, precision: int, scale: int) -> Decimal | None:
    """Returns the value rounded half up to ``scale`` decimal digits, or None if it does not fit ``precision`` digits."""
    if value is None or not value.is_finite() or (value and value.adjusted() > 80):
        return None
    fitted = rounded(value, scale)
    if fitted.is_zero():
        return absolute(fitted)
    return fitted if fitted.adjusted() < precision - scale else None


def round_half_up(values: Any, scale: int) -> Any:
    """Returns the values rounded to ``scale`` decimal digits (ties away from zero), in a type with the same scale and room for the carry."""
    source = values.type
    narrow = pa.types.is_decimal128(source) and source.precision < 38
    wide = pc.cast(values, pa.decimal128(38, source.scale) if narrow else pa.decimal256(76, source.scale))
    return round_decimals(wide, scale, "half_towards_infinity") if source.scale > scale else wide


def round_decimals(values: Any, places: int, mode: str) -> Any:
    """Returns the decimals rounded to ``places`` digits of the fraction, in their type; ``mode`` is one of Arrow's.

    ``pyarrow.compute.round`` returns wrong digits for results of 32 digits and more.
    """
    type_ = values.type
    result = pc.round(values, places, round_mode=mode)
    if not pa.types.is_decimal256(type_) or type_.precision - type_.scale + places < _ROUNDED_DIGITS:
        return result
    large = pc.greater_equal(pc.abs(values), arrow_scalar(Decimal((0, (1,), _ROUNDED_DIGITS - 1 - places)), type_))
    if pc.any(large).as_py() is not True:
        return result
    exact = [rounded(value, places, _PYTHON_MODES[mode]) for value in pc.drop_null(values.filter(large)).to_pylist()]
    return pc.replace_with_mask(result, pc.fill_null(large, False), arrow_array(exact, type_))


def rescale(values: Any, precision: int, scale: int) -> Any:
    """Returns the decimals as DECIMAL(precision, scale), rounded half up; NULL where they do not fit."""
    source = values.type
    target = pa.decimal128(precision, scale)
    if source.equals(target):
        return values
    if scale >= source.scale and precision - scale >= source.precision - source.scale and pa.types.is_decimal128(source):
        return pc.cast(values, target)
    if scale == source.scale and pa.types.is_decimal128(source) and fits_digits(values, precision):
        return retyped(values, target)
    if scale > source.scale and source.precision + scale - source.scale > 76:
        return arrow_array([fit_decimal(value, precision, scale) for value in values.to_pylist()], target)
    rounded_values = round_half_up(values, scale)
    if precision - scale <= source.precision - source.scale:
        limit = pc.cast(arrow_scalar(Decimal(10 ** (precision - scale)), pa.decimal256(76, source.scale)), rounded_values.type)
        fits = pc.less(pc.abs(rounded_values), limit)
        rounded_values = pc.if_else(fits, rounded_values, arrow_scalar(None, rounded_values.type))
    if scale <= source.scale and pa.types.is_decimal128(rounded_values.type):
        return pc.cast(rounded_values, target)
    return pc.cast(pc.cast(rounded_values, pa.decimal256(76, scale)), target)
