"""Casts between numbers and booleans. Values that do not fit become NULL, which the caller turns into an error."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.types import DecimalType, LogicalType
from table_runtime.casts.decimals import fit_decimal, rescale
from table_runtime.casts.distinct import map_distinct
from table_runtime.casts.to_text import plain_texts
from table_runtime.casts.unscaled import from_unscaled, nearest_doubles
from table_runtime.evaluation_context import EvaluationContext

INTEGER_RANGES = {
    pa.int8(): (-(2**7), 2**7 - 1),
    pa.int16(): (-(2**15), 2**15 - 1),
    pa.int32(): (-(2**31), 2**31 - 1),
    pa.int64(): (-(2**63), 2**63 - 1),
}

_PLAIN_SCALE = 24
_MANY = 1024
"""The number of values from which on they are converted by arithmetic."""
_MOST_SCALE = 15
_INTEGERS = 1.5 * 2.0**52
"""The last bits of its sum with an integer of up to 51 bits are that integer."""


def number_to_integer(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Truncates fractions; NULL if the number is outside the integer's range."""
    # Differs from Flink: a number outside of the range is an error; Flink wraps it around or takes the nearest one.
    arrow_type = to_arrow_type(target)
    if context.legacy_casts:
        return _wrapped(values, arrow_type)
    low, high = INTEGER_RANGES[arrow_type]
    if pa.types.is_integer(values.type):
        if values.type.bit_width <= arrow_type.bit_width:
            return pc.cast(values, arrow_type)
        bounds = pa.scalar(low, values.type), pa.scalar(high, values.type)
    elif pa.types.is_floating(values.type):
        values = pc.trunc(pc.cast(values, pa.float64()))
        # 2^63 - 1 is not a double; the greatest double below it is 2^63 - 1024.
        bounds = tuple(pa.scalar(bound, pa.float64()) for bound in (float(low), float(high) if high < 2**53 else 9223372036854774784.0))
    else:
        values = pc.trunc(pc.cast(values, pa.decimal256(76, values.type.scale)))
        bounds = pa.scalar(Decimal(low), values.type), pa.scalar(Decimal(high), values.type)
    fits = pc.and_(pc.greater_equal(values, bounds[0]), pc.less_equal(values, bounds[1]))
    fitting = pc.if_else(fits, values, pa.scalar(None, values.type))
    if pa.types.is_decimal(values.type):
        fitting = pc.cast(fitting, pa.decimal256(76, 0))
    return pc.cast(fitting, arrow_type)


def _wrapped(values: Any, arrow_type: Any) -> Any:
    """Returns the lowest bits of an integer (Flink's legacy cast).

    A floating point number is first converted to the nearest INT or BIGINT, NaN to 0.
    """
    if pa.types.is_floating(values.type):
        wide = pa.int64() if arrow_type.bit_width == 64 else pa.int32()
        low, high = INTEGER_RANGES[wide]
        doubles = pc.if_else(pc.is_nan(values), 0.0, pc.trunc(pc.cast(values, pa.float64())))
        inside = pc.and_(pc.greater(doubles, float(low)), pc.less(doubles, float(high)))
        nearest = pc.if_else(pc.greater(doubles, 0.0), pa.scalar(high, wide), pa.scalar(low, wide))
        values = pc.if_else(inside, pc.cast(pc.if_else(inside, doubles, 0.0), wide), nearest)
    elif pa.types.is_decimal(values.type):
        whole = pc.cast(pc.trunc(pc.cast(values, pa.decimal256(76, values.type.scale))), pa.decimal256(76, 0))
        values = map_distinct(whole, lambda value: (int(value) + 2**63) % 2**64 - 2**63, pa.int64())
    return pc.cast(values, arrow_type, safe=False)


def number_to_approximate(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the nearest FLOAT or DOUBLE."""
    if pa.types.is_decimal(values.type):
        values = nearest_doubles(values)
    return pc.cast(values, to_arrow_type(target), safe=False)


def number_to_decimal(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Rounds half up to the scale; NULL if there are too many digits."""
    assert isinstance(target, DecimalType)
    if pa.types.is_floating(values.type):
        return approximate_to_decimal(values, target)
    if pa.types.is_integer(values.type):
        values = pc.cast(values, pa.decimal128(19, 0))
    return rescale(values, target.precision, target.scale)


def approximate_to_decimal(values: Any, target: DecimalType) -> Any:
    """Returns the shortest decimal that identifies the floating point number, rounded half up to the scale; NULL if it does not fit."""
    if len(values) < _MANY or target.scale > _MOST_SCALE:
        return _through_text(values, target)
    import numpy as np  # small queries do without

    # The shortest decimal is at most half a unit in the last place away from the number, and the product as much from the exact one. So unless the
    # product is that near to the middle between two integers, both are rounded to the same integer. Of NaN and large numbers, nothing is sure.
    error = 2.0**-50 if values.type == pa.float64() else 2.0**-21
    doubles = pc.cast(values, pa.float64())
    with np.errstate(all="ignore"):
        numbers = (doubles.fill_null(0.0) if doubles.null_count else doubles).to_numpy() * 10.0**target.scale
        whole = np.rint(numbers)
        size = np.abs(numbers)
        is_small = bool(size.max() < min(10.0**target.precision - 1, 2.0**49))
        size *= -error
        size += 0.5
        numbers -= whole
        is_sure = np.abs(numbers, out=numbers) < size
        if is_small and not values.null_count:
            # After the bits of this number they are integers already. To convert them takes several times longer.
            whole += _INTEGERS
            digits = whole.view(np.int64)
            digits -= np.float64(_INTEGERS).view(np.int64)
            unsure = np.flatnonzero(~is_sure)
            if len(unsure):
                exact = _through_text(pc.take(values, pa.array(unsure)), target)
                digits[unsure] = pa.Array.from_buffers(pa.decimal128(38, 0), len(exact), exact.buffers(), offset=exact.offset).cast(
                    pa.int64()
                )
            return from_unscaled(pa.array(digits), pa.decimal128(target.precision, target.scale))
        digits = np.where(is_sure, whole, 0.0).astype(np.int64)
    absent = ~is_sure | (np.abs(whole) >= 10.0**target.precision)
    if values.null_count:
        is_null = np.asarray(values.is_null())
        absent |= is_null
        is_sure |= is_null
    result = from_unscaled(pa.array(digits, mask=absent), pa.decimal128(target.precision, target.scale))
    if is_sure.all():
        return result
    mask = pa.array(~is_sure)
    return pc.replace_with_mask(result, mask, _through_text(pc.filter(values, mask), target))


def _through_text(values: Any, target: DecimalType) -> Any:
    texts, is_plain = plain_texts(values)
    not_plain = pc.invert(pc.fill_null(is_plain, False))
    # Plain texts have at most 17 significant digits after at most two zeros.
    exact = pc.cast(pc.if_else(is_plain, texts, pa.scalar(None, pa.string())), pa.decimal256(76, _PLAIN_SCALE))
    result = rescale(exact, target.precision, target.scale)
    remaining_texts = pc.cast(pc.filter(values, not_plain), pa.string())
    if len(remaining_texts) == remaining_texts.null_count:
        return result
    converted = map_distinct(remaining_texts, lambda text: fit_decimal(Decimal(text), target.precision, target.scale), result.type)
    return pc.replace_with_mask(result, not_plain, converted)


def number_to_boolean(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """FALSE for zero, TRUE for every other number."""
    return pc.not_equal(values, pc.cast(pa.scalar(0), values.type) if not pa.types.is_decimal(values.type) else pa.scalar(Decimal(0)))


def boolean_to_number(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """1 for TRUE, 0 for FALSE."""
    return (
        number_to_decimal(pc.cast(values, pa.int64()), source, target, context)
        if isinstance(target, DecimalType)
        else pc.cast(values, to_arrow_type(target))
    )
