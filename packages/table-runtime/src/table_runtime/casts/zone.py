"""Time zones: converts instants to local time and back, as java.time does.

Arrow converts times up to the end of 2037, where the transitions in time zone files end. This module applies the files' rules for later
years.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.configuration import normalize_zone, time_zone_of
from table_runtime.casts.distinct import map_distinct

_EPOCH = datetime(1970, 1, 1)
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_LATE = 2_145_830_400
"""2037-12-31 in seconds since 1970; Arrow ignores later transitions."""
_YEAR_2100 = 4_102_444_800
_CYCLE = 146_097 * 86_400
"""400 years in seconds, after which the calendar repeats. From 2100 on all zones follow a fixed rule."""
_SLOT = 900
"""A quarter of an hour in seconds; later transitions are at multiples of it."""


def to_local(instants: Any, zone: str) -> Any:
    """Converts instants to local timestamps in the zone."""
    unit = instants.type.unit
    name = normalize_zone(zone)
    if name == "UTC":
        return pc.cast(instants, pa.timestamp(unit))
    local = pc.local_timestamp(pc.cast(instants, pa.timestamp(unit, name)))
    if name[0] in "+-":
        return local
    return _corrected(local, pc.cast(instants, pa.timestamp(unit)), _offset_at(name), 1)


def from_local(local: Any, zone: str) -> Any:
    """Converts local timestamps to instants (in UTC).

    A local time in a gap is moved forward by the length of the gap; for an ambiguous local time the earlier instant is taken.
    """
    unit = local.type.unit
    result_type = pa.timestamp(unit, "UTC")
    name = normalize_zone(zone)
    if name == "UTC":
        return pc.cast(local, result_type)
    if name[0] in "+-":
        offset = time_zone_of(name).utcoffset(None)
        assert offset is not None
        shift = pc.cast(pa.scalar(int(offset.total_seconds()), pa.duration("s")), pa.duration(unit))
        return pc.cast(pc.subtract(local, shift), result_type)
    try:
        instants = pc.cast(pc.assume_timezone(local, name, ambiguous="earliest", nonexistent="raise"), pa.timestamp(unit))
    except pa.ArrowInvalid:
        # A time is in a gap, for which Arrow has no rule like Java's.
        instants = pc.cast(_from_local_slowly(local, name), pa.timestamp(unit))
    return pc.cast(_corrected(instants, local, _offset_of_local(name), -1), result_type)


def _from_local_slowly(local: Any, name: str) -> Any:
    per_second = _PER_SECOND[local.type.unit]
    offset = _offset_of_local(name)
    return map_distinct(
        pc.cast(local, pa.int64()), lambda ticks: ticks - offset(_in_known_years(ticks // per_second)) * per_second, pa.int64()
    )


def _corrected(converted: Any, times: Any, offset: Callable[[int], int], sign: int) -> Any:
    """Returns ``converted``, Arrow's result, except for late times: these plus ``sign`` times the zone's offset in their quarter of an hour."""
    if isinstance(times, pa.Scalar):
        return _corrected(pa.repeat(converted, 1), pa.repeat(times, 1), offset, sign)[0]
    per_second = _PER_SECOND[times.type.unit]
    ticks = pc.cast(times, pa.int64())
    is_late = pc.greater_equal(ticks, _LATE * per_second)
    if not pc.any(is_late).as_py():
        return converted
    slot = _SLOT * per_second
    slots = pc.divide(pc.if_else(is_late, ticks, pa.scalar(None, pa.int64())), slot)
    shifts = map_distinct(slots, lambda number: sign * offset(_in_known_years(number * _SLOT)) * per_second, pa.int64())
    return pc.if_else(is_late, pc.cast(pc.add(ticks, shifts), converted.type), converted)


def _in_known_years(seconds: int) -> int:
    """Returns the time, mapped from after 2100 to a time of the years 2100 to 2499 with the same offset, because ``datetime`` ends in 9999."""
    return seconds if seconds < _YEAR_2100 else _YEAR_2100 + (seconds - _YEAR_2100) % _CYCLE


def _offset_at(name: str) -> Callable[[int], int]:
    """Returns a function from an instant to the zone's offset in seconds."""
    zone = time_zone_of(name)
    return lambda seconds: _seconds((_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=UTC).astimezone(zone))


def _offset_of_local(name: str) -> Callable[[int], int]:
    """Returns a function from a local time to the zone's offset in seconds: the earlier of two, in a gap the offset before it."""
    zone = time_zone_of(name)
    return lambda seconds: _seconds((_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=zone))


def _seconds(moment: datetime) -> int:
    offset = moment.utcoffset()
    assert offset is not None
    return int(offset.total_seconds())
