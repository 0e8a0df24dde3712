"""Cardinality estimation: estimated rows of subplans and distinct values of their columns, used to choose among equivalent plans.

Sources may report statistics: row count, distinct values, and the minimum and maximum of numbers and dates (as Parquet files do). Catalogs
hold the statistics of ANALYZE TABLE. Predicates are evaluated on samples of tables that offer some (``SupportsSample``). Everything else is a
heuristic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

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
from table_common.functions.builtin import conversion
from table_common.tree import by_class, fold
from table_common.types import EXACT_INTEGERS, CharacterType, DateType
from table_runtime.expressions import EvaluationContext
from table_runtime.planner.rules.column_estimates import (
    MOST_ROWS,
    UNKNOWN_ROWS,
    ColumnEstimate,
    Estimate,
    Range,
    as_number,
    bounded,
    joined_rows,
    matched_share,
    unknown_column,
)
from table_runtime.planner.rules.selectivity import filtered

_FEWEST_UNMATCHED = 0.05
"""Share of rows that an anti join keeps at least."""


def estimate(
    root: QueryOperation,
    statistics: Callable[[ObjectIdentifier], TableStats],
    *,
    ask_sources: bool = True,
    evaluation: EvaluationContext | None = None,
) -> Callable[[QueryOperation], Estimate]:
    """Returns a function from the nodes of the plan to their estimates; ``statistics`` returns a table's statistics in its catalog.

    With ``ask_sources``, sources report their own statistics; with ``evaluation`` too, predicates are evaluated on samples of their rows.
    """
    estimates: dict[int, Estimate] = {}

    known = _Known(statistics, ask_sources, evaluation)

    def combine(node: QueryOperation, inputs: Sequence[Estimate]) -> Estimate:
        result = estimates[id(node)] = _estimate(node, inputs, known)
        return result

    fold(root, QueryOperation, combine)
    return lambda node: estimates[id(node)]


@dataclass(frozen=True, slots=True)
class _Known:
    """Where statistics of tables come from."""

    statistics: Callable[[ObjectIdentifier], TableStats]
    ask_sources: bool
    evaluation: EvaluationContext | None


def _product(counts: Sequence[float]) -> float:
    total = 1.0
    for count in counts:
        total = min(total * count, MOST_ROWS)
    return total


def _unknown(rows: float, width: int) -> tuple[ColumnEstimate, ...]:
    return (unknown_column(rows),) * width


@by_class
def _estimate(node: QueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    """Returns the estimate of a node from those of its inputs."""
    width = len(node.resolved_schema.columns)
    if len(inputs) == 1 and len(inputs[0].columns) == width:
        return inputs[0]
    rows = max((child.rows for child in inputs), default=UNKNOWN_ROWS)
    return Estimate(rows, _unknown(rows, width))


@_estimate.register(FilterQueryOperation)
def _filter(node: FilterQueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    return filtered(node, inputs[0], known.evaluation if known.ask_sources else None)


@_estimate.register(ValuesQueryOperation)
def _values(node: ValuesQueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    rows = float(len(node.rows))
    return Estimate(rows, _unknown(rows, len(node.schema.columns)))


@_estimate.register(ProjectQueryOperation)
def _project(node: ProjectQueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    return Estimate(inputs[0].rows, tuple(_projected(e, inputs[0]) for e in node.projection))


@_estimate.register(AggregateQueryOperation)
def _aggregate(node: AggregateQueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    keys = [inputs[0].columns[key.field_index] for key in node.grouping]
    return _grouped(keys, inputs[0].rows, len(node.resolved_schema.columns))


@_estimate.register(DistinctQueryOperation)
def _distinct(node: DistinctQueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    return _grouped(inputs[0].columns, inputs[0].rows, len(node.resolved_schema.columns))


@_estimate.register(SortQueryOperation)
def _sort(node: SortQueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    return inputs[0] if node.fetch is None else inputs[0].limited(min(float(node.fetch), inputs[0].rows))


@_estimate.register(WindowQueryOperation)
def _window(node: WindowQueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    (child,) = inputs
    return Estimate(child.rows, (*child.columns, *_unknown(child.rows, len(node.resolved_schema.columns) - len(child.columns))))


@_estimate.register(SetQueryOperation)
def _set(node: SetQueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    rows = min(sum(child.rows for child in inputs), MOST_ROWS)
    return Estimate(rows, tuple(_united(columns, rows) for columns in zip(*(child.columns for child in inputs), strict=True)))


def _grouped(keys: Sequence[ColumnEstimate], rows: float, width: int) -> Estimate:
    """Returns the estimate of one row per group: the columns are the keys, then others."""
    distinct = [key.distinct for key in keys]
    groups = min(_product(distinct), max(1.0, rows if len(keys) == 1 else rows * 0.7)) if keys else 1.0
    own = (
        ColumnEstimate(
            min(key.distinct, groups),
            min(key.table_distinct, groups),
            groups,
            key.range,
            key.table_range,
            min(key.nulls, 1.0),
            key.is_integer,
        )
        for key in keys
    )
    return Estimate(groups, (*own, *_unknown(groups, width - len(keys))))


def _united(columns: Sequence[ColumnEstimate], rows: float) -> ColumnEstimate:
    """Returns the column of a set operation; inputs often have the same values, such as the keys of one table."""
    ranges = [column.range or column.table_range for column in columns]
    known = [range_ for range_ in ranges if range_ is not None]
    whole = (min(low for low, _ in known), max(high for _, high in known)) if len(known) == len(columns) else None
    is_integer = all(column.is_integer for column in columns)
    distinct = min(rows, sum(column.distinct for column in columns))
    if whole is not None and is_integer:
        distinct = min(distinct, max(1.0, whole[1] - whole[0] + 1))
    return ColumnEstimate(distinct, distinct, rows, whole, whole, max(column.nulls for column in columns), is_integer)


@_estimate.register(JoinQueryOperation)
def _join(node: JoinQueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    left, right = inputs
    keys, other_conditions = [], 0
    for part in conjuncts(node.condition) if node.condition is not None else []:
        pair = key_columns(part)
        if pair is None:
            other_conditions += 1
        else:
            keys.append(pair)
    if node.join_type in (JoinType.SEMI, JoinType.ANTI):
        share = matched_share(left, right, keys, other_conditions)
        return left.limited(left.rows * (share if node.join_type is JoinType.SEMI else max(_FEWEST_UNMATCHED, 1 - share)))
    rows = joined_rows(left, right, keys, other_conditions)
    match node.join_type:
        case JoinType.LEFT_OUTER:
            rows = max(rows, left.rows)
        case JoinType.RIGHT_OUTER:
            rows = max(rows, right.rows)
        case JoinType.FULL_OUTER:
            rows = max(rows, left.rows + right.rows)
    rows = bounded(rows)
    return Estimate(rows, (*left.limited(min(rows, left.rows)).columns, *right.limited(min(rows, right.rows)).columns))


def key_columns(part: ResolvedExpression) -> tuple[int, int] | None:
    """Returns the positions of ``left.column = right.column`` in the inputs of a join; None for other conditions."""
    sides = _equated(part)
    if sides is None or sides[0].input_index == sides[1].input_index:
        return None
    first, second = sides
    return (first.field_index, second.field_index) if first.input_index == 0 else (second.field_index, first.field_index)


def equal_columns(part: ResolvedExpression) -> tuple[int, int] | None:
    """Returns the positions of two columns that a condition equates, whatever their inputs; None for other conditions."""
    sides = _equated(part)
    return None if sides is None else (sides[0].field_index, sides[1].field_index)


def is_transitive(part: ResolvedExpression) -> bool:
    """Returns whether an equality of columns holds for a third column if that is equal to one of them: they are of one type, without casts."""
    if not isinstance(part, CallExpression) or part.function.name != "EQUALS":
        return False
    first, second = part.args
    if not isinstance(first, FieldReferenceExpression) or not isinstance(second, FieldReferenceExpression):
        return False
    return first.output_type.with_nullability(True) == second.output_type.with_nullability(True)


def _equated(part: ResolvedExpression) -> tuple[FieldReferenceExpression, FieldReferenceExpression] | None:
    if not isinstance(part, CallExpression) or part.function.name not in ("EQUALS", "IS_NOT_DISTINCT_FROM"):
        return None
    first, second = map(_without_cast, part.args)
    if not isinstance(first, FieldReferenceExpression) or not isinstance(second, FieldReferenceExpression):
        return None
    return first, second


def _without_cast(expression: ResolvedExpression) -> ResolvedExpression:
    while isinstance(expression, CallExpression) and expression.function is conversion.CAST:
        expression = expression.args[0]
    return expression


def _projected(expression: ResolvedExpression, child: Estimate) -> ColumnEstimate:
    source = _without_cast(expression)
    if isinstance(source, FieldReferenceExpression):
        column = child.columns[source.field_index]
        is_integer = isinstance(expression.output_type, (*EXACT_INTEGERS, DateType))
        return column if source is expression or (is_integer and column.is_integer) else unknown_range(column)
    if isinstance(expression, CallExpression):
        return unknown_column(child.rows)
    return ColumnEstimate(1.0, 1.0, child.rows)


def unknown_range(column: ColumnEstimate) -> ColumnEstimate:
    """Returns the estimate of the converted column: as many values, of another range."""
    return ColumnEstimate(column.distinct, column.table_distinct, column.table_rows, nulls=column.nulls)


@_estimate.register(SourceQueryOperation)
def _scan(node: SourceQueryOperation, inputs: Sequence[Estimate], known: _Known) -> Estimate:
    columns = node.resolved_schema.columns
    stats = TableStats.UNKNOWN
    if known.ask_sources and node.source is not None and isinstance(node.source, SupportsStatisticReport):
        stats = node.source.report_statistics()
    if not node.table.is_anonymous:
        stats = _completed(stats, known.statistics(node.table.identifier))
    if stats.row_count is None:
        return Estimate(UNKNOWN_ROWS, _unknown(UNKNOWN_ROWS, len(columns)))
    rows = max(1.0, _number(stats.row_count))
    return Estimate(rows, tuple(_column(column, stats.column_stats.get(column.name), rows) for column in columns))


def _completed(reported: TableStats, stored: TableStats) -> TableStats:
    """Returns the source's statistics, which are up to date, completed by those of the catalog."""
    rows = reported.row_count if reported.row_count is not None else stored.row_count
    counted = {name: stats for name, stats in reported.column_stats.items() if stats.ndv is not None}
    return TableStats(rows, {**reported.column_stats, **stored.column_stats, **counted})


def _column(column: Column, stats: ColumnStats | None, rows: float) -> ColumnEstimate:
    is_integer = isinstance(column.data_type, (*EXACT_INTEGERS, DateType))
    range_: Range | None = None
    nulls = 0.0
    if stats is not None:
        low, high = as_number(stats.min), as_number(stats.max)
        if low is not None and high is not None and type(stats.min) is type(stats.max) and low <= high:
            range_ = (low, high)
        if stats.null_count is not None:
            nulls = min(1.0, max(0.0, _number(stats.null_count) / rows))
    distinct = min(rows, _values_of(column, stats, range_ if is_integer else None, rows))
    return ColumnEstimate(distinct, distinct, rows, range_, range_, nulls, is_integer and range_ is not None)


def _values_of(column: Column, stats: ColumnStats | None, range_: Range | None, rows: float) -> float:
    """Returns the estimated number of distinct values of a column."""
    if stats is not None and stats.ndv is not None:
        return max(1.0, _number(stats.ndv))
    if range_ is not None:
        return max(1.0, range_[1] - range_[0] + 1.0)
    # Without statistics the cardinality of text columns is unknown: names have many values, categories few.
    return math.sqrt(rows) if isinstance(column.data_type, CharacterType) else rows


def _number(count: int) -> float:
    """Returns a reported count as a float within the bounds of estimates."""
    return float(min(max(count, 0), 10**18))
