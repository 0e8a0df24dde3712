"""The digits of times: a value has no more digits than its type shows, so that values that look equal are equal.

The canonical Arrow type of TIMESTAMP(3) has microseconds, and data of others may use them.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as pat

from table_common.arrow import compute as pc
from table_common.types import LogicalType, PrecisionTimeType, types_in

_UNIT_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
NANOS_PER_TICK = {"ms": 1_000_000, "us": 1_000, "ns": 1}
"""The nanoseconds of each unit of Arrow's times that canonical types have, and of milliseconds."""
_UNIT_NAMES = {"ms": "millisecond", "us": "microsecond", "ns": "nanosecond"}
_COARSER = {("us", 1_000): "ms", ("us", 1_000_000): "s"}
_FINEST = (6, 9)
"""The precisions of which the canonical Arrow type has all digits and no others."""


def may_hide_digits(type_: LogicalType) -> bool:
    """Returns whether values in the canonical Arrow type of ``type_`` can have more digits of seconds than the type, at any depth.

    Example:
        >>> from table_common.types import TimestampType
        >>> may_hide_digits(TimestampType(3)), may_hide_digits(TimestampType(6))
        (True, False)
    """
    return any(isinstance(inner, PrecisionTimeType) and inner.precision not in _FINEST for inner in types_in(type_))


def floor_to_precision(array: pa.Array, precision: int) -> pa.Array:
    """Returns times rounded down to ``precision`` digits of seconds; the array itself if no value has more.

    Raises:
        pyarrow.ArrowInvalid: the result is outside of the range of the Arrow type.
    """
    step = int(10 ** max(0, _UNIT_DIGITS[array.type.unit] - precision))
    if step == 1 or _are_multiples(array, step):
        return array
    width = pa.int32() if array.type.bit_width == 32 else pa.int64()
    ticks = array.view(width)
    if pc.min(ticks).as_py() < step - 2 ** (array.type.bit_width - 1):
        raise pa.ArrowInvalid(f"overflow: a time cannot be rounded down to {precision} digits")
    if pat.is_timestamp(array.type):
        # Times with a zone are many times slower.
        local = array.view(pa.timestamp(array.type.unit))
        return pc.floor_temporal(local, multiple=step, unit=_UNIT_NAMES[array.type.unit]).view(array.type)
    size = pa.scalar(step, width)  # of the day, so that truncating rounds down
    return pc.multiply(pc.divide(ticks, size), size).view(array.type)


def _are_multiples(array: pa.Array, step: int) -> bool:
    coarser = _COARSER.get((array.type.unit, step))
    if coarser is not None:  # a checked cast is faster, and stops at the first value that is none
        target = pa.timestamp(coarser, array.type.tz) if pat.is_timestamp(array.type) else pa.time32(coarser)
        try:
            pc.cast(array, target)
        except pa.ArrowInvalid:
            return False
        return True
    ticks = array.view(pa.int32() if array.type.bit_width == 32 else pa.int64())
    size = pa.scalar(step, ticks.type)
    return bool(pc.all(pc.equal(pc.multiply(pc.divide(ticks, size), size), ticks)).as_py() is not False)


def cut_to_precision(array: pa.Array, target: pa.DataType, precision: int) -> pa.Array:
    """Returns times in the unit of ``target``, rounded down to ``precision`` digits of seconds.

    Raises:
        pyarrow.ArrowInvalid: a value is outside of the range of ``target``.
    """
    if _UNIT_DIGITS[array.type.unit] <= precision:
        return pc.cast(array, target)
    if _UNIT_DIGITS[array.type.unit] > _UNIT_DIGITS[target.unit]:
        array = floor_to_precision(array, _UNIT_DIGITS[target.unit])
    return floor_to_precision(pc.cast(array, target), precision)
