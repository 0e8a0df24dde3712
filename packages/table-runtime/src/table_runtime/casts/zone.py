"""Time zones: instants to local time and back, as java.time does it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.configuration import normalize_zone, time_zone_of
from table_runtime.casts.distinct import map_distinct

__all__ = ["from_local", "to_local"]

_EPOCH = datetime(1970, 1, 1)


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
        offset = time_zone_of(name).utcoffset(None)
        assert offset is not None
        shift = pc.cast(pa.scalar(int(offset.total_seconds()), pa.duration("s")), pa.duration(unit))
        return pc.cast(pc.subtract(local, shift), result_type)
    try:
        return pc.cast(pc.assume_timezone(local, name, ambiguous="earliest", nonexistent="raise"), result_type)
    except pa.ArrowInvalid:
        # Some time falls into a gap, for which Arrow has no rule like Java's.
        return pc.cast(_from_local_slowly(local, name), result_type)


def _from_local_slowly(local: Any, name: str) -> Any:
    zone = time_zone_of(name)
    per_second = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}[local.type.unit]

    def convert(ticks: int) -> int:
        offset = (_EPOCH + timedelta(seconds=ticks // per_second)).replace(tzinfo=zone).utcoffset()
        assert offset is not None
        return ticks - int(offset.total_seconds()) * per_second

    return map_distinct(pc.cast(local, pa.int64()), convert, pa.int64())
