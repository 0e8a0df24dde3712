"""Time zones: instants to local time and back, as java.time does it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import ValidationException
from table_runtime.casts.distinct import map_distinct

__all__ = ["from_local", "normalize_zone", "to_local", "zone_of"]

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?")
_EPOCH = datetime(1970, 1, 1)


@lru_cache(maxsize=64)
def normalize_zone(name: str) -> str:
    """Returns the zone's name as Arrow takes it: an IANA name, or ``+08:00`` for ``GMT+8``, ``UTC+08:00`` and their like.

    Raises:
        ValidationException: There is no such zone.
    """
    if name in ("Z", "UTC", "GMT", "UT"):
        return "UTC"
    match = _OFFSET.fullmatch(name)
    if match is not None:
        return f"{match[1]}{int(match[2]):02d}:{match[3] or '00'}"
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        hint = "Use an IANA name such as 'Europe/Berlin', or an offset such as 'GMT+02:00'."
        raise ValidationException(f"'{name}' is not a time zone.", hint=hint) from error
    return name


@lru_cache(maxsize=64)
def zone_of(name: str) -> tzinfo:
    """Returns the zone for use with ``datetime``."""
    normal = normalize_zone(name)
    if normal[0] in "+-":
        minutes = int(normal[1:3]) * 60 + int(normal[4:6])
        return timezone(timedelta(minutes=-minutes if normal[0] == "-" else minutes))
    if normal == "UTC":
        return UTC
    from zoneinfo import ZoneInfo

    return ZoneInfo(normal)


def to_local(instants: Any, zone: str) -> Any:
    """Returns zoned timestamps as the local time that clocks in the zone show."""
    unit = instants.type.unit
    if normalize_zone(zone) == "UTC":
        return pc.cast(instants, pa.timestamp(unit))
    return pc.local_timestamp(pc.cast(instants, pa.timestamp(unit, normalize_zone(zone))))


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
        offset = zone_of(name).utcoffset(None)
        assert offset is not None
        shift = pc.cast(pa.scalar(int(offset.total_seconds()), pa.duration("s")), pa.duration(unit))
        return pc.cast(pc.subtract(local, shift), result_type)
    try:
        return pc.cast(pc.assume_timezone(local, name, ambiguous="earliest", nonexistent="raise"), result_type)
    except pa.ArrowInvalid:
        # Some time falls into a gap, for which Arrow has no rule like Java's.
        return pc.cast(_from_local_slowly(local, name), result_type)


def _from_local_slowly(local: Any, name: str) -> Any:
    zone = zone_of(name)
    per_second = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}[local.type.unit]

    def convert(ticks: int) -> int:
        offset = (_EPOCH + timedelta(seconds=ticks // per_second)).replace(tzinfo=zone).utcoffset()
        assert offset is not None
        return ticks - int(offset.total_seconds()) * per_second

    return map_distinct(pc.cast(local, pa.int64()), convert, pa.int64())
