"""The partitions of a materialized table that belong to the time between two refreshes."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from table_common.catalog import PARTITION_FIELDS, CatalogMaterializedTable, partition_of_time

_STEPS = {"ss": timedelta(seconds=1), "mm": timedelta(minutes=1), "HH": timedelta(minutes=15)}
"""By the finest part of a pattern, a step with which no partition is missed, in any time zone."""
_COARSE = timedelta(hours=1)
_MAX_STEPS = 10_000
_MAX_PARTITIONS = 100
"""Beyond it, one refresh of the whole table is less work than one for each partition."""


def partitions_of_window(table: CatalogMaterializedTable, since: datetime, until: datetime, zone: tzinfo) -> list[dict[str, str]] | None:
    """Returns the values of partition columns for the times of a window, oldest first; None if all rows are to be refreshed.

    They are all of them if the table has no option ``partition.fields.<column>.date-formatter``, or the window has very many partitions.
    """
    patterns = {
        key.removeprefix(PARTITION_FIELDS).removesuffix(".date-formatter"): pattern
        for key, pattern in table.options.items()
        if key.startswith(PARTITION_FIELDS)
    }
    if not patterns:
        return None
    step = next((step for part, step in _STEPS.items() if any(part in pattern for pattern in patterns.values())), _COARSE)
    if (until - since) / step > _MAX_STEPS:
        return None
    found: dict[tuple[str, ...], None] = {}
    time = min(since, until)
    while True:
        local = min(time, until).astimezone(zone)
        found[tuple(partition_of_time(pattern, local) for pattern in patterns.values())] = None
        if time >= until:
            break
        time += step
    if len(found) > _MAX_PARTITIONS:
        return None
    return [dict(zip(patterns, values, strict=True)) for values in found]
