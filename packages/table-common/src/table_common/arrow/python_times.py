"""Converts times of Python and numpy to Arrow with all of their digits: pyarrow itself truncates to microseconds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any

import pyarrow as pa

from table_common.arrow.time_digits import NANOS_PER_TICK
from table_common.data.numpy_values import date_time_nanos, duration_nanos
from table_common.data.temporal_nanos import nanos_of_day, nanos_of_duration, nanos_since_epoch, nanosecond_of
from table_common.types import DayTimeIntervalType, LocalZonedTimestampType, LogicalType, PrecisionTimeType, TimestampType, TimeType

_EPOCH = datetime(1970, 1, 1)
_WITHOUT_NANOSECONDS = {datetime, time, timedelta, type(None)}


def have_nanoseconds(values: Sequence[Any], type_: LogicalType) -> bool:
    """Returns whether there are values of ``datetime``, ``time`` or ``timedelta`` with digits below microseconds."""
    if not isinstance(type_, (PrecisionTimeType, DayTimeIntervalType)) or set(map(type, values)) <= _WITHOUT_NANOSECONDS:
        return False
    return any(value is not None and nanosecond_of(value) for value in values)


def array_of_nanos(values: Sequence[Any], type_: LogicalType, target: pa.DataType) -> pa.Array:
    """Returns the array of such values, cut to the unit of its type.

    Raises:
        OverflowError: A value does not fit into 64 bits of the unit.
    """
    tick = NANOS_PER_TICK[target.unit]
    if isinstance(type_, DayTimeIntervalType):
        # Towards zero, as everywhere that an interval loses digits.
        ticks = [None if value is None else _towards_zero(nanos_of_duration(value), tick) for value in values]
    else:
        nanos = nanos_of_day if isinstance(type_, TimeType) else nanos_since_epoch
        ticks = [None if value is None else nanos(value) // tick for value in values]
    return pa.array(ticks, pa.int64()).view(target)


def _towards_zero(nanos: int, tick: int) -> int:
    return nanos // tick if nanos >= 0 else -(-nanos // tick)


def from_numpy(value: Any, type_: LogicalType) -> Any:
    """Returns a scalar of numpy as a value of Python; one of time keeps all digits down to nanoseconds.

    Raises:
        OverflowError: The time is outside of what ``datetime`` and ``timedelta`` can hold.
        ValueError: A ``timedelta64`` has no fixed length.
    """
    # Loaded only here: few values come from numpy.
    from table_common.data.nanoseconds import datetime_of, timedelta_of

    if isinstance(type_, DayTimeIntervalType) and type(value).__name__ == "timedelta64":
        nanos = duration_nanos(value)
        return None if nanos is None else timedelta_of(nanos)
    if isinstance(type_, (TimestampType, LocalZonedTimestampType)) and type(value).__name__ == "datetime64":
        nanos = date_time_nanos(value)
        return None if nanos is None else datetime_of(_EPOCH + timedelta(microseconds=nanos // 1000), nanos % 1000)
    return value.item()
