"""Table statistics from the footers of Parquet files: row count, bounds and NULLs of columns."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from table_common.connector.source import ColumnStats, TableStats

__all__ = ["parquet_statistics"]

_BOUNDED = (int, float, Decimal, datetime.date, str)


def parquet_statistics(files: Iterable[Path], columns: Iterable[str]) -> TableStats:
    """Returns the statistics of these columns; bounds and NULL counts only if all row groups have them.

    Raises:
        OSError: a file cannot be read.
        pyarrow.ArrowException: a file is not Parquet.
    """
    from pyarrow.parquet import read_metadata

    rows = 0
    wanted = set(columns)
    known: dict[str, ColumnStats | None] = {}
    for file in files:
        metadata = read_metadata(file)
        rows += metadata.num_rows
        for group in range(metadata.num_row_groups):
            for name, stats in _of_group(metadata.row_group(group), wanted):
                known[name] = _merged(known[name], stats) if name in known else stats
    return TableStats(rows, {name: stats for name, stats in known.items() if stats is not None})


def _of_group(group: Any, wanted: set[str]) -> Iterable[tuple[str, ColumnStats | None]]:
    for index in range(group.num_columns):
        column = group.column(index)
        name = column.path_in_schema
        if name not in wanted:
            continue
        if not column.is_stats_set:
            yield name, None
            continue
        statistics = column.statistics
        nulls = statistics.null_count if statistics.has_null_count else None
        low, high = (statistics.min, statistics.max) if statistics.has_min_max else (None, None)
        if not isinstance(low, _BOUNDED) or not isinstance(high, _BOUNDED):
            # A group with only NULLs has no bounds, and does not change the bounds of the column.
            yield name, ColumnStats(null_count=nulls) if nulls == group.num_rows else None
            continue
        yield name, ColumnStats(null_count=nulls, min=low, max=high)


def _merged(left: ColumnStats | None, right: ColumnStats | None) -> ColumnStats | None:
    if left is None or right is None:
        return None
    nulls = left.null_count + right.null_count if left.null_count is not None and right.null_count is not None else None
    lows: list[Any] = [bound for bound in (left.min, right.min) if bound is not None]
    highs: list[Any] = [bound for bound in (left.max, right.max) if bound is not None]
    return ColumnStats(null_count=nulls, min=min(lows, default=None), max=max(highs, default=None))
