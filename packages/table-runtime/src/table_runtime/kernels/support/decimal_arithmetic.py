"""Decimal arithmetic: exact in 256 bits, or in Python if that is not enough, and rounded half up to the scale of the result."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exact_decimals import difference, divided, product, total
from table_common.exact_decimals import remainder as exact_remainder
from table_common.types import DecimalType
from table_runtime.casts import fit_decimal, rescale
from table_runtime.casts.unscaled import from_unscaled, retyped, unscaled
from table_runtime.kernels.kernel import to_array

_Operation = Callable[[Decimal, Decimal], Decimal]
_INTEGER_DIGITS = 19
"""Decimals of this number of digits have room for all integers of 64 bits."""


def add(left: Any, right: Any, result: DecimalType, num_rows: int) -> Any:
    """Returns ``left + right``; NULL if it does not fit the result type."""
    return _sum(pc.add, pc.add_checked, total, left, right, result, num_rows)


def subtract(left: Any, right: Any, result: DecimalType, num_rows: int) -> Any:
    """Returns ``left - right``; NULL if it does not fit the result type."""
    return _sum(pc.subtract, pc.subtract_checked, difference, left, right, result, num_rows)


def _sum(
    function: Callable[[Any, Any], Any],
    checked: Callable[[Any, Any], Any],
    exact: _Operation,
    left: Any,
    right: Any,
    result: DecimalType,
    num_rows: int,
) -> Any:
    left, right = _shortened(left), _shortened(right)
    first, second = left.type, right.type
    digits = max(first.precision - first.scale, second.precision - second.scale) + max(first.scale, second.scale) + 1
    if digits > 76:
        return _slowly(exact, left, right, result, num_rows)
    if digits > 38:
        scale = max(first.scale, second.scale)
        small = _small(checked, _shifted(left, scale), _shifted(right, scale), scale, result)
        if small is not None:
            return small
        left, right = _wide(left), _wide(right)
    return _fit(function(left, right), result, digits)


def multiply(left: Any, right: Any, result: DecimalType, num_rows: int) -> Any:
    """Returns ``left * right``; NULL if it does not fit the result type."""
    left, right = _shortened(left), _shortened(right)
    digits = left.type.precision + right.type.precision + 1
    if digits > 76:
        return _slowly(product, left, right, result, num_rows)
    if digits > 38:
        small = _small(pc.multiply_checked, unscaled(left), unscaled(right), left.type.scale + right.type.scale, result)
        if small is not None:
            return small
        left, right = _wide(left), _wide(right)
    return _fit(pc.multiply(left, right), result, digits - 1)


def divide(left: Any, right: Any, result: DecimalType, num_rows: int) -> Any:
    """Returns ``left / right``; NULL if it does not fit the result type.

    Raises:
        pyarrow.ArrowInvalid, ArithmeticError: a divisor is zero.
    """
    first, second = left.type, right.type
    # Arrow truncates at scale s1 + p2 - s2 + 1. One digit more than the scale of the result is enough to round half up.
    scale = max(first.scale, result.scale - (second.precision - second.scale))
    digits = first.precision - first.scale + second.scale + max(4, scale + second.precision - second.scale + 1)
    precision = first.precision + scale - first.scale
    if digits > 38 or precision > 38:
        small = _small_quotient(left, right, result)
        if small is not None:
            return small
    if digits > 76 or precision > 76:
        return _slowly(divided, left, right, result, num_rows)
    if digits > 38 or precision > 38:
        left, right = pc.cast(left, pa.decimal256(precision, scale)), _wide(right)
    else:
        left = pc.cast(left, pa.decimal128(precision, scale))
    return _fit(pc.divide(left, right), result)


def remainder(left: Any, right: Any, precision: int, scale: int, num_rows: int) -> Any:
    """Returns the remainder of ``left / right``, with the sign of ``left``."""
    return _slowly(exact_remainder, left, right, DecimalType(precision, scale), num_rows)


def _small(function: Callable[[Any, Any], Any], left: Any, right: Any, scale: int, result: DecimalType) -> Any:
    """Returns what a checked function of integers gives for the digits of two columns; None if these or the results do not fit 64 bits."""
    if left is None or right is None or scale != result.scale or result.precision < _INTEGER_DIGITS:
        return None
    if isinstance(left, pa.Scalar) and isinstance(right, pa.Scalar):
        return None
    try:
        return from_unscaled(function(left, right), pa.decimal128(result.precision, scale))
    except pa.ArrowInvalid:
        return None


def _small_quotient(left: Any, right: Any, result: DecimalType) -> Any:
    """Returns quotients rounded half up, by the digits of the columns; None if these do not fit 64 bits, or if a divisor is zero."""
    dividends, divisors = unscaled(left), unscaled(right)
    shift = result.scale - left.type.scale + right.type.scale
    if dividends is None or divisors is None or result.precision < _INTEGER_DIGITS or not 0 <= shift < _INTEGER_DIGITS - 1:
        return None
    if isinstance(left, pa.Scalar) and isinstance(right, pa.Scalar):
        return None
    zero = pa.scalar(0, pa.int64())
    try:
        # Half up is (2 * dividend + divisor) / (2 * divisor), truncated; for different signs the divisor is subtracted.
        doubled_divisors = pc.multiply_checked(divisors, pa.scalar(2, pa.int64()))
        doubled = pc.multiply_checked(dividends, pa.scalar(2 * 10**shift, pa.int64()))
        has_one_sign = pc.equal(pc.less(dividends, zero), pc.less(divisors, zero))
        half = pc.if_else(has_one_sign, divisors, pc.negate(divisors))
        quotients = pc.divide(pc.add_checked(doubled, half), doubled_divisors)
    except pa.ArrowInvalid:
        return None
    return from_unscaled(quotients, pa.decimal128(result.precision, result.scale))


def _shifted(values: Any, scale: int) -> Any:
    """Returns the digits of decimals at a scale that is not less than theirs; None if they do not fit 64 bits."""
    digits = unscaled(values)
    shift = scale - values.type.scale
    if digits is None or not shift:
        return digits
    try:
        return pc.multiply_checked(digits, pa.scalar(10**shift, pa.int64())) if shift < _INTEGER_DIGITS else None
    except pa.ArrowInvalid:
        return None


def _wide(values: Any) -> Any:
    return pc.cast(values, pa.decimal256(values.type.precision, values.type.scale))


def _shortened(values: Any) -> Any:
    """Returns a constant in a type with no more digits than it has, so that results have no more digits than they can have; other values as they are."""
    if not isinstance(values, pa.Scalar) or not values.is_valid or not pa.types.is_decimal128(values.type):
        return values
    value = values.as_py()
    digits = max(value.adjusted() + 1 + values.type.scale, values.type.scale, 1)
    return pc.cast(values, pa.decimal128(digits, values.type.scale)) if digits < values.type.precision else values


def _fit(values: Any, result: DecimalType, digits: int = 76) -> Any:
    """Returns values that have at most ``digits`` digits in the type of the result; NULL where they do not fit."""
    if isinstance(values, pa.Scalar):
        return rescale(pa.repeat(values, 1), result.precision, result.scale)[0]
    if digits <= result.precision and values.type.scale == result.scale and pa.types.is_decimal128(values.type):
        return retyped(values, pa.decimal128(result.precision, result.scale))
    return rescale(values, result.precision, result.scale)


def _slowly(operation: _Operation, left: Any, right: Any, result: DecimalType, num_rows: int) -> Any:
    is_constant = isinstance(left, pa.Scalar) and isinstance(right, pa.Scalar)
    count = 1 if is_constant else num_rows
    pairs = zip(to_array(left, count).to_pylist(), to_array(right, count).to_pylist(), strict=True)
    rows = [
        None if first is None or second is None else fit_decimal(operation(first, second), result.precision, result.scale)
        for first, second in pairs
    ]
    array = pa.array(rows, pa.decimal128(result.precision, result.scale))
    return array[0] if is_constant else array
