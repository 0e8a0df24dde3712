"""Statistics of a table that are known before it is read."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar

from table_common.frozen_dataclass import dataclass, field

Bound = int | float | Decimal | str | datetime.date | datetime.datetime


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """The statistics of a column; None means unknown. ``min`` and ``max`` are Python values of the column's type, lengths are bytes.

    Source: Flink's ``org.apache.flink.table.plan.stats.ColumnStats``.

    Example:
        >>> TableStats(1_000, {"id": ColumnStats(ndv=1_000, null_count=0, min=1, max=1_000)}).column_stats["id"].max
        1000
    """

    ndv: int | None = None
    """The number of distinct values, NULL not counted."""
    null_count: int | None = None
    avg_len: float | None = None
    max_len: int | None = None
    min: Bound | None = None
    max: Bound | None = None


@dataclass(frozen=True, slots=True)
class TableStats:
    """The number of rows, None if it is unknown, and the statistics of columns by name.

    Source: Flink's ``org.apache.flink.table.plan.stats.TableStats``.

    Example:
        >>> TableStats(1_000).row_count
        1000
        >>> TableStats.UNKNOWN.row_count is None
        True
    """

    row_count: int | None = None
    column_stats: Mapping[str, ColumnStats] = field(default_factory=dict, hash=False)

    UNKNOWN: ClassVar[TableStats]


TableStats.UNKNOWN = TableStats()
