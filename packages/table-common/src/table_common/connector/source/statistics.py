"""What is known of a table's rows before they are read."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar

from table_common.frozen_dataclass import dataclass, field

__all__ = ["ColumnStats", "TableStats"]

Bound = int | float | Decimal | str | datetime.date | datetime.datetime


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """One column: what is None is not known. ``min`` and ``max`` are Python values of the column's type, lengths are bytes."""

    ndv: int | None = None
    """How many different values there are, NULL apart."""
    null_count: int | None = None
    avg_len: float | None = None
    max_len: int | None = None
    min: Bound | None = None
    max: Bound | None = None


@dataclass(frozen=True, slots=True)
class TableStats:
    """The number of rows, None if it is not known, and what is known of columns, by their names."""

    row_count: int | None = None
    column_stats: Mapping[str, ColumnStats] = field(default_factory=dict, hash=False)

    UNKNOWN: ClassVar[TableStats]


TableStats.UNKNOWN = TableStats()
