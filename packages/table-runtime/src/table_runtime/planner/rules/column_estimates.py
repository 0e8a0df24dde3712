"""Estimates of columns: distinct values, ranges, NULLs, and what remains of them when rows are left out."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from table_common.frozen_dataclass import dataclass, replace

MOST_ROWS = 1e100
"""Upper bound of all estimates, so that products of estimates stay finite."""
UNKNOWN_ROWS = 100_000.0
"""Estimated rows of a table without statistics."""
DEFAULT_SELECTIVITY = 0.4
"""Selectivity of a condition for which no better estimate exists."""

Range = tuple[float, float]
"""The least and the greatest value of a column as numbers; a date is its number of days."""


@dataclass(frozen=True, slots=True)
class ColumnEstimate:
    """A column of a node: the values that it has now, and those that the column of its table has."""

    distinct: float
    """The estimated number of distinct values, at most the rows of the node."""
    table_distinct: float
    """The estimated number of distinct values of the table's column."""
    table_rows: float
    """The rows of the table. They bound the distinct values of several of its columns together."""
    range: Range | None = None
    """The range of the values now; None if it is unknown."""
    table_range: Range | None = None
    nulls: float = 0.0
    """The share of NULL, from 0 to 1."""
    is_integer: bool = False
    """Whether the values are integers or dates, so that a range has a number of values."""


def unknown_column(rows: float) -> ColumnEstimate:
    """Returns the estimate of a column of which only the rows of its node are known."""
    return ColumnEstimate(rows, rows, rows)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated rows of a node, and its columns."""

    rows: float
    columns: tuple[ColumnEstimate, ...]

    @property
    def distinct(self) -> tuple[float, ...]:
        """The distinct values of each column, which are at most ``rows``."""
        return tuple(column.distinct for column in self.columns)

    def limited(self, rows: float, *, keeps_ranges: bool = True) -> Estimate:
        """Returns the estimate for a subset of the rows; without ``keeps_ranges`` some columns may have lost parts of their range."""
        rows = bounded(rows)
        if rows >= self.rows:
            return Estimate(rows, self.columns)
        share = rows / self.rows
        return Estimate(rows, tuple(_subset(column, self.rows, share, rows, keeps_ranges) for column in self.columns))


def _subset(column: ColumnEstimate, before: float, share: float, rows: float, keeps_range: bool) -> ColumnEstimate:
    """Returns the column in a random part of the rows: a value is lost if none of its rows are drawn."""
    per_value = max(1.0, before / max(column.distinct, 1.0))
    distinct = column.distinct * -math.expm1(per_value * math.log1p(-share)) if share < 1 else column.distinct
    return replace(column, distinct=min(max(1.0, distinct), rows), range=column.range if keeps_range else None)


def bounded(rows: float) -> float:
    """Returns a number of rows within the bounds of estimates."""
    return min(max(1.0, rows), MOST_ROWS)


def as_number(value: Any) -> float | None:
    """Returns a bound as a number that orders like the value; None for types without one."""
    match value:
        case bool() | datetime.datetime():
            return None
        case datetime.date():
            return float(value.toordinal())
        case int() | float() | Decimal():
            try:
                number = float(value)
            except OverflowError:
                return None
            return number if math.isfinite(number) else None
        case _:
            return None


def _width(range_: Range, is_integer: bool) -> float:
    return max(range_[1] - range_[0] + (1.0 if is_integer else 0.0), 1e-9)


@dataclass(frozen=True, slots=True)
class _Matching:
    """What two columns have in common: shares of the rows on both sides within the common range, and the values of the tables there."""

    left: float
    right: float
    left_values: float
    right_values: float


def _matching(left: ColumnEstimate, right: ColumnEstimate, left_rows: float, right_rows: float) -> _Matching:
    left_range, right_range = left.range or left.table_range, right.range or right.table_range
    if left_range is None or right_range is None or left.table_range is None or right.table_range is None:
        return _Matching(1 - left.nulls, 1 - right.nulls, left.table_distinct, right.table_distinct)
    common = max(left_range[0], right_range[0]), min(left_range[1], right_range[1])
    if common[0] > common[1]:
        return _Matching(1 / left_rows, 1 / right_rows, 1.0, 1.0)
    whole = left.is_integer and right.is_integer
    return _Matching(
        _share_within(left, left_rows, common, whole),
        _share_within(right, right_rows, common, whole),
        max(1.0, left.table_distinct * min(1.0, _width(common, whole) / _width(left.table_range, whole))),
        max(1.0, right.table_distinct * min(1.0, _width(common, whole) / _width(right.table_range, whole))),
    )


def _share_within(column: ColumnEstimate, rows: float, common: Range, whole: bool) -> float:
    """Returns the share of rows whose values are within a range.

    Where a filter has left an unknown part of the table, its rows are as many as the range has at most: filters and ranges agree.
    """
    assert column.table_range is not None
    if column.range is not None:
        share = _width(common, whole) / _width(column.range, whole)
    else:
        share = column.table_rows / rows * (_width(common, whole) / _width(column.table_range, whole))
    return min(1.0, max(share, 1 / rows)) * (1 - column.nulls)


def equal_share(left: Estimate, right: Estimate, keys: Sequence[tuple[int, int]]) -> float:
    """Returns the estimated share of all pairs of rows whose values are equal in these columns."""
    if not keys:
        return 1.0
    values = 1.0
    within_left = within_right = 1.0
    table_rows = 1.0
    for i, j in keys:
        one, other = left.columns[i], right.columns[j]
        matching = _matching(one, other, left.rows, right.rows)
        values = min(values * max(matching.left_values, matching.right_values, 1.0), MOST_ROWS)
        within_left, within_right = min(within_left, matching.left), min(within_right, matching.right)
        table_rows = max(table_rows, one.table_rows, other.table_rows)
    # Keys of several columns are as many as the rows of the larger table at most: the customer of an order is the customer of its lines.
    return within_left * within_right / (min(values, table_rows) if len(keys) > 1 else values)


def joined_rows(left: Estimate, right: Estimate, keys: Sequence[tuple[int, int]], other_conditions: int) -> float:
    """Returns the estimated rows of an inner join on these key columns."""
    return bounded(left.rows * right.rows * equal_share(left, right, keys) * DEFAULT_SELECTIVITY**other_conditions)


def matched_share(left: Estimate, right: Estimate, keys: Sequence[tuple[int, int]], other_conditions: int) -> float:
    """Returns the estimated share of left rows that have a match."""
    if not keys:
        return 0.5
    share = 1.0
    for i, j in keys:
        matching = _matching(left.columns[i], right.columns[j], left.rows, right.rows)
        values = max(matching.left_values, matching.right_values, 1.0)
        share = min(share, matching.left * min(1.0, right.columns[j].distinct * matching.right / values))
    return share * DEFAULT_SELECTIVITY**other_conditions
