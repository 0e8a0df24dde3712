"""Cardinality estimation: estimated rows of subplans and distinct values of their columns, used to choose among equivalent plans.

Sources may report statistics: row count, distinct values, and the minimum and maximum of numbers and dates (as Parquet files do). Catalogs
hold the statistics of ANALYZE TABLE. Everything else is a heuristic.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from typing import Any

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SetQueryOperation,
    SortQueryOperation,
    SourceQueryOperation,
    ValuesQueryOperation,
    WindowQueryOperation,
)
from table_common.catalog import Column, ObjectIdentifier
from table_common.connector.source import ColumnStats, TableStats
from table_common.connector.source.abilities import SupportsStatisticReport
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, conjuncts
from table_common.frozen_dataclass import dataclass
from table_common.tree import fold
from table_common.types import CharacterType

__all__ = ["Estimate", "estimate", "joined_rows"]

_MOST_ROWS = 1e100
"""Upper bound of all estimates, so that products of estimates stay finite."""
UNKNOWN_ROWS = 100_000.0
"""Estimated rows of a table without statistics."""
_SELECTIVITIES = {"EQUALS": 0.1, "IS_NOT_DISTINCT_FROM": 0.1, "IN": 0.2, "LIKE": 0.1, "IS_NULL": 0.1, "BETWEEN": 0.2, "OR": 0.4}
_DEFAULT_SELECTIVITY = 0.4
"""Selectivity of a condition for which no better estimate exists."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimated row count, and the distinct values of each column, which are at most ``rows``."""

    rows: float
    distinct: tuple[float, ...]

    def limited(self, rows: float) -> Estimate:
        """Returns the estimate for a subset of the rows."""
        rows = min(max(1.0, rows), _MOST_ROWS)
        return Estimate(rows, tuple(min(count, rows) for count in self.distinct))


def estimate(
    root: QueryOperation, statistics: Callable[[ObjectIdentifier], TableStats], *, ask_sources: bool = True
) -> Callable[[QueryOperation], Estimate]:
    """Returns a function from the nodes of the plan to their estimates; ``statistics`` returns a table's statistics in its catalog.

    With ``ask_sources``, sources report their own statistics.
    """
    estimates: dict[int, Estimate] = {}

    def combine(node: QueryOperation, inputs: Sequence[Estimate]) -> Estimate:
        result = estimates[id(node)] = (
            _scan(node, statistics, ask_sources) if isinstance(node, SourceQueryOperation) else _estimate(node, inputs)
        )
        return result

    fold(root, QueryOperation, combine)
    return lambda node: estimates[id(node)]


def joined_rows(left: Estimate, right: Estimate, keys: Sequence[tuple[int, int]], other_conditions: int) -> float:
    """Returns the estimated rows of an inner join on these key columns."""
    rows = left.rows * right.rows
    # Further keys mostly correlate with the first: the customer of an order is the customer of its lines.
    selectivities = sorted(1 / max(left.distinct[i], right.distinct[j], 1.0) for i, j in keys)
    for position, selectivity in enumerate(selectivities):
        rows *= selectivity ** (1 / 2**position)
    return min(max(1.0, rows * _DEFAULT_SELECTIVITY**other_conditions), _MOST_ROWS)


def _product(counts: Sequence[float]) -> float:
    total = 1.0
    for count in counts:
        total = min(total * count, _MOST_ROWS)
    return total


def _estimate(node: QueryOperation, inputs: Sequence[Estimate]) -> Estimate:
    width = len(node.resolved_schema.columns)
    match node:
        case ValuesQueryOperation():
            return Estimate(float(len(node.rows)), (float(len(node.rows)),) * width)
        case ProjectQueryOperation():
            return Estimate(inputs[0].rows, tuple(_distinct_of(e, inputs[0]) for e in node.projection))
        case FilterQueryOperation():
            return inputs[0].limited(inputs[0].rows * _selectivity(node.condition, inputs[0]))
        case AggregateQueryOperation():
            keys = [inputs[0].distinct[key.field_index] for key in node.grouping]
            groups = min(_product(keys), max(1.0, inputs[0].rows * 0.7)) if keys else 1.0
            return Estimate(groups, (*(min(key, groups) for key in keys), *[groups] * (width - len(keys))))
        case DistinctQueryOperation():
            return inputs[0].limited(min(_product(inputs[0].distinct), inputs[0].rows))
        case SortQueryOperation() if node.fetch is not None:
            return inputs[0].limited(min(float(node.fetch), inputs[0].rows))
        case WindowQueryOperation():
            return Estimate(inputs[0].rows, (*inputs[0].distinct, *[inputs[0].rows] * (width - len(inputs[0].distinct))))
        case SetQueryOperation():
            rows = min(sum(child.rows for child in inputs), _MOST_ROWS)
            return Estimate(rows, tuple(min(rows, sum(counts)) for counts in zip(*(child.distinct for child in inputs), strict=True)))
        case JoinQueryOperation():
            return _join(node, inputs[0], inputs[1])
        case _ if len(inputs) == 1 and len(inputs[0].distinct) == width:
            return inputs[0]
        case _:
            rows = max((child.rows for child in inputs), default=UNKNOWN_ROWS)
            return Estimate(rows, (rows,) * width)


def _join(node: JoinQueryOperation, left: Estimate, right: Estimate) -> Estimate:
    keys, other_conditions = [], 0
    for part in conjuncts(node.condition) if node.condition is not None else []:
        pair = _equal_columns(part)
        if pair is None:
            other_conditions += 1
        else:
            keys.append(pair)
    rows = joined_rows(left, right, keys, other_conditions)
    match node.join_type:
        case JoinType.SEMI | JoinType.ANTI:
            return left.limited(left.rows * 0.5)
        case JoinType.LEFT_OUTER:
            rows = max(rows, left.rows)
        case JoinType.RIGHT_OUTER:
            rows = max(rows, right.rows)
        case JoinType.FULL_OUTER:
            rows = max(rows, left.rows + right.rows)
    return Estimate(rows, (*left.distinct, *right.distinct)).limited(rows)


def _equal_columns(part: ResolvedExpression) -> tuple[int, int] | None:
    """Returns the positions of ``left.column = right.column``."""
    if not isinstance(part, CallExpression) or part.function.name not in ("EQUALS", "IS_NOT_DISTINCT_FROM"):
        return None
    first, second = part.args
    if not isinstance(first, FieldReferenceExpression) or not isinstance(second, FieldReferenceExpression):
        return None
    if first.input_index == second.input_index:
        return None
    return (first.field_index, second.field_index) if first.input_index == 0 else (second.field_index, first.field_index)


def _distinct_of(expression: ResolvedExpression, child: Estimate) -> float:
    if isinstance(expression, FieldReferenceExpression):
        return child.distinct[expression.field_index]
    return child.rows if isinstance(expression, CallExpression) else 1.0


def _selectivity(condition: ResolvedExpression, child: Estimate) -> float:
    selectivity = 1.0
    for part in conjuncts(condition):
        selectivity *= _conjunct_selectivity(part, child)
    return selectivity


def _conjunct_selectivity(part: ResolvedExpression, child: Estimate) -> float:
    if not isinstance(part, CallExpression):
        return _DEFAULT_SELECTIVITY
    name = part.function.name
    first = part.args[0] if part.args else None
    if name in ("EQUALS", "IN") and isinstance(first, FieldReferenceExpression):
        values = len(part.args) - 1
        distinct = child.distinct[first.field_index]
        is_known = distinct < child.rows and not isinstance(first.output_type, CharacterType)
        return min(1.0, values / max(distinct, 1.0)) if is_known else min(0.5, values * _SELECTIVITIES["EQUALS"])
    if name == "OR":
        return min(1.0, sum(_selectivity(arg, child) for arg in part.args))
    return _SELECTIVITIES.get(name, _DEFAULT_SELECTIVITY)


def _scan(node: SourceQueryOperation, statistics: Callable[[ObjectIdentifier], TableStats], ask_sources: bool) -> Estimate:
    columns = node.resolved_schema.columns
    stats = TableStats.UNKNOWN
    if ask_sources and node.source is not None and isinstance(node.source, SupportsStatisticReport):
        stats = node.source.report_statistics()
    if not node.table.is_anonymous:
        stats = _completed(stats, statistics(node.table.identifier))
    if stats.row_count is None:
        return Estimate(UNKNOWN_ROWS, (UNKNOWN_ROWS,) * len(columns))
    rows = max(1.0, _number(stats.row_count))
    return Estimate(rows, tuple(min(rows, _values_of(column, stats.column_stats.get(column.name), rows)) for column in columns))


def _completed(reported: TableStats, stored: TableStats) -> TableStats:
    """Returns the source's statistics, which are up to date, completed by those of the catalog."""
    rows = reported.row_count if reported.row_count is not None else stored.row_count
    counted = {name: stats for name, stats in reported.column_stats.items() if stats.ndv is not None}
    return TableStats(rows, {**reported.column_stats, **stored.column_stats, **counted})


def _values_of(column: Column, stats: ColumnStats | None, rows: float) -> float:
    """Returns the estimated number of distinct values of a column."""
    if stats is not None and stats.ndv is not None:
        return max(1.0, _number(stats.ndv))
    if stats is not None and stats.min is not None and stats.max is not None:
        value_count = _values_between(stats.min, stats.max)
        if value_count is not None:
            return value_count
    # Without statistics the cardinality of text columns is unknown: names have many values, categories few.
    return math.sqrt(rows) if isinstance(column.data_type, CharacterType) else rows


def _values_between(low: Any, high: Any) -> float | None:
    """Returns the number of possible values between the bounds of integers and dates; None for other types."""
    if type(low) is not type(high) or isinstance(low, datetime.datetime) or not isinstance(low, int | datetime.date):
        return None
    return max(1.0, _number((high - low).days if isinstance(low, datetime.date) else high - low) + 1.0)


def _number(count: int) -> float:
    """Returns a reported count as a float within the bounds of estimates."""
    return float(min(max(count, 0), 10**18))
