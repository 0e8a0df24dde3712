"""Time zones: instants to local time and back, as java.time does it.

Arrow converts times up to the end of 2037, where the transitions of the zones' files end. The rule that a file gives for later years is
applied here.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.configuration import normalize_zone, time_zone_of
from table_runtime.casts.distinct import map_distinct

__all__ = ["from_local", "to_local"]

_EPOCH = datetime(1970, 1, 1)
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_LATE = 2_145_830_400
"""2037-12-31 in seconds since 1970: Arrow knows no later transitions."""
_YEAR_2100 = 4_102_444_800
_CYCLE = 146_097 * 86_400
"""400 years: then the days of the week are those of the same dates again. From 2100 on no zone has more than a rule."""
_SLOT = 900
"""Seconds of a quarter of an hour: later transitions lie between two of them."""


def to_local(instants: Any, zone: str) -> Any:
    """Returns zoned timestamps as the local time that clocks in the zone show."""
    unit = instants.type.unit
    name = normalize_zone(zone)
    if name == "UTC":
        return pc.cast(instants, pa.timestamp(unit))
    local = pc.local_timestamp(pc.cast(instants, pa.timestamp(unit, name)))
    if name[0] in "+-":
        return local
    return _corrected(local, pc.cast(instants, pa.timestamp(unit)), _offset_at(name), 1)


def from_local(local: Any, zone: str) -> Any:
    """Returns local timestamps as instants (in UTC).

    A time that clocks skip is moved forward by the length of the gap; of one that they show twice, the earlier is meant.
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
        # Some time falls into a gap, for which Arrow has no rule like Java's.
        instants = pc.cast(_from_local_slowly(local, name), pa.timestamp(unit))
    return pc.cast(_corrected(instants, local, _offset_of_clock(name), -1), result_type)


def _from_local_slowly(local: Any, name: str) -> Any:
    per_second = _PER_SECOND[local.type.unit]
    offset = _offset_of_clock(name)
    return map_distinct(
        pc.cast(local, pa.int64()), lambda ticks: ticks - offset(_in_known_years(ticks // per_second)) * per_second, pa.int64()
    )


def _corrected(found: Any, times: Any, offset: Callable[[int], int], sign: int) -> Any:
    """Returns what Arrow found for times, but for late ones the time plus (or less, with ``sign`` -1) the offset of its quarter of an hour."""
    if isinstance(times, pa.Scalar):
        return _corrected(pa.repeat(found, 1), pa.repeat(times, 1), offset, sign)[0]
    per_second = _PER_SECOND[times.type.unit]
    ticks = pc.cast(times, pa.int64())
    is_late = pc.greater_equal(ticks, _LATE * per_second)
    if not pc.any(is_late).as_py():
        return found
    slot = _SLOT * per_second
    slots = pc.divide(pc.if_else(is_late, ticks, pa.scalar(None, pa.int64())), slot)
    shifts = map_distinct(slots, lambda number: sign * offset(_in_known_years(number * _SLOT)) * per_second, pa.int64())
    return pc.if_else(is_late, pc.cast(pc.add(ticks, shifts), found.type), found)


def _in_known_years(seconds: int) -> int:
    """Returns the moment, one after 2100 as the moment of the years 2100 to 2499 that has the same offset: ``datetime`` ends in 9999."""
    return seconds if seconds < _YEAR_2100 else _YEAR_2100 + (seconds - _YEAR_2100) % _CYCLE


def _offset_at(name: str) -> Callable[[int], int]:
    """Returns the function that gives the zone's offset, in seconds, at an instant."""
    zone = time_zone_of(name)
    return lambda seconds: _seconds((_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=UTC).astimezone(zone))


def _offset_of_clock(name: str) -> Callable[[int], int]:
    """Returns the function that gives the zone's offset, in seconds, when clocks show a time: the earlier of two; in a gap that before it."""
    zone = time_zone_of(name)
    return lambda seconds: _seconds((_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=zone))


def _seconds(moment: datetime) -> int:
    offset = moment.utcoffset()
    assert offset is not None
    return int(offset.total_seconds())
