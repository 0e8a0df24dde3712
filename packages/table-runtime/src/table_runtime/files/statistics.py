"""Table statistics from the footers of Parquet files: row count, and of columns bounds, NULLs and distinct values."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from table_common.connector.source import ColumnStats, TableStats
from table_common.frozen_dataclass import dataclass
from table_runtime.files.footers import Footer, footer_of

_BOUNDED = (int, float, Decimal, datetime.date, str)
_MOST_OVERLAP = 1.5
"""Row groups whose ranges overlap more than this, relative to the range of the whole column, are taken as random samples of its values."""
_FREQUENT = 64
"""A row group in which each value has this many rows on average has most values of the column."""


def parquet_statistics(files: Iterable[Path], columns: Iterable[str]) -> TableStats:
    """Returns the statistics of these columns; bounds, NULL counts and distinct values only if all row groups have them.

    Footers are cached until their file changes. The number of distinct values is an estimate if there are several row groups, each of
    which has its own number; it is unknown if the writer did not count them.

    Raises:
        OSError: a file cannot be read.
        pyarrow.ArrowException: a file is not Parquet.
    """
    footers = [footer_of(file) for file in files]
    rows = sum(footer.rows for footer in footers)
    wanted = set(columns)
    found = {}
    for name in wanted:
        stats = footers[0].column(name, _of_column) if len(footers) == 1 else _of_groups([g for f in footers for g in _groups(f, name)])
        if stats is not None:
            found[name] = stats
    return TableStats(rows, found)


@dataclass(frozen=True, slots=True)
class _Group:
    """The statistics of a column in one row group; ``stats`` is None if it has none."""

    rows: int
    stats: ColumnStats | None


def _of_column(footer: Footer, name: str) -> ColumnStats | None:
    return _of_groups(_groups(footer, name))


def _groups(footer: Footer, name: str) -> list[_Group]:
    index = footer.columns.get(name)
    if index is None:
        return []
    metadata = footer.metadata
    return [_of_group(metadata.row_group(number), index) for number in range(metadata.num_row_groups)]


def _of_group(group: Any, index: int) -> _Group:
    column = group.column(index)
    rows = group.num_rows
    if not column.is_stats_set:
        return _Group(rows, None)
    statistics = column.statistics
    nulls = statistics.null_count if statistics.has_null_count else None
    low, high = (statistics.min, statistics.max) if statistics.has_min_max else (None, None)
    if not isinstance(low, _BOUNDED) or not isinstance(high, _BOUNDED):
        # A group with only NULLs has no bounds, and does not change the bounds of the column.
        return _Group(rows, ColumnStats(null_count=nulls) if nulls == rows else None)
    distinct = statistics.distinct_count if statistics.has_distinct_count and statistics.distinct_count > 0 else None
    return _Group(rows, ColumnStats(ndv=distinct, null_count=nulls, min=low, max=high))


def _of_groups(groups: Sequence[_Group]) -> ColumnStats | None:
    stats = [group.stats for group in groups if group.stats is not None]
    if not stats or len(stats) < len(groups):
        return None
    nulls = [one.null_count for one in stats if one.null_count is not None]
    lows: list[Any] = [one.min for one in stats if one.min is not None]
    highs: list[Any] = [one.max for one in stats if one.max is not None]
    return ColumnStats(
        ndv=_distinct(groups),
        null_count=sum(nulls) if len(nulls) == len(stats) else None,
        min=min(lows, default=None),
        max=max(highs, default=None),
    )


def _distinct(groups: Sequence[_Group]) -> int | None:
    """Returns the estimated distinct values of a column from those of its row groups."""
    counted = [
        (group.rows - (stats.null_count or 0), stats) for group in groups if (stats := group.stats) is not None and stats.min is not None
    ]
    counts = {number: stats.ndv for number, (_, stats) in enumerate(counted) if stats.ndv is not None}
    if not counts or 2 * len(counts) < len(counted):
        return None
    together = sum(counts.values()) * len(counted) // len(counts)
    if len(counted) == 1 or not _overlap(counted):
        return together
    largest = max(counts, key=counts.__getitem__)
    least, rows = counts[largest], counted[largest][0]
    drawn = _drawn_from(least, rows)
    if rows >= _FREQUENT * least:
        likely = drawn
    elif isinstance(counted[0][1].min, int):
        # Equal values may stand together, as the customer of an order in its lines: row groups then have different values.
        likely = float(_width(counted))
    else:
        likely = math.sqrt(drawn * together)
    return max(least, int(min(together, likely)))


def _width(counted: Sequence[tuple[int, ColumnStats]]) -> int:
    """Returns the number of integers between the bounds of all row groups."""
    bounds = _bounds(counted)
    return max(high for _, high in bounds) - min(low for low, _ in bounds) + 1


def _bounds(counted: Sequence[tuple[int, ColumnStats]]) -> list[tuple[int, int]]:
    return [(stats.min, stats.max) for _, stats in counted if isinstance(stats.min, int) and isinstance(stats.max, int)]


def _overlap(counted: Sequence[tuple[int, ColumnStats]]) -> bool:
    """Returns whether the ranges of the row groups overlap: in a sorted column each has its own values."""
    bounds = _bounds(counted)
    return len(bounds) < len(counted) or sum(high - low + 1 for low, high in bounds) > _MOST_OVERLAP * _width(counted)


def _drawn_from(distinct: int, rows: int) -> float:
    """Returns the number of equally frequent values of which ``rows`` random draws show ``distinct``; infinity if all rows differ."""
    if distinct >= rows:
        return math.inf
    low, high = float(distinct), float(distinct) * max(2.0, rows)
    for _ in range(60):
        middle = math.sqrt(low * high)
        if -middle * math.expm1(-rows / middle) < distinct:
            low = middle
        else:
            high = middle
    return low
