"""The share of rows that a predicate keeps: counted in a sample of the table, otherwise from ranges and distinct values."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_api.operations import FilterQueryOperation, SourceQueryOperation
from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableError
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    conjuncts,
    is_deterministic,
    references,
)
from table_common.frozen_dataclass import replace
from table_common.functions import BuiltInFunctionDefinition
from table_common.functions.builtin import conversion
from table_common.tree import preorder
from table_common.types import CharacterType
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.planner.rules.column_estimates import DEFAULT_SELECTIVITY, ColumnEstimate, Estimate, as_number, bounded
from table_runtime.sources.sample import SupportsSample, TableSample

__all__ = ["filtered"]

_SELECTIVITIES = {"EQUALS": 0.1, "IS_NOT_DISTINCT_FROM": 0.1, "IN": 0.2, "LIKE": 0.1, "IS_NULL": 0.1, "BETWEEN": 0.2, "OR": 0.4}
_COMPARISONS = {
    "LESS_THAN": (True, False),
    "LESS_THAN_OR_EQUAL": (True, False),
    "GREATER_THAN": (False, True),
    "GREATER_THAN_OR_EQUAL": (False, True),
}
"""Comparisons of a column with a value: whether the value bounds the column from above, and from below."""
_REVERSED = {
    "LESS_THAN": "GREATER_THAN",
    "LESS_THAN_OR_EQUAL": "GREATER_THAN_OR_EQUAL",
    "GREATER_THAN": "LESS_THAN",
    "GREATER_THAN_OR_EQUAL": "LESS_THAN_OR_EQUAL",
    "EQUALS": "EQUALS",
}
_FEWEST_COUNTED = 0.5
"""Rows that count as kept if a part of a table has none: another part may have some."""


def filtered(node: FilterQueryOperation, child: Estimate, evaluation: EvaluationContext | None) -> Estimate:
    """Returns the estimate of a filter; with ``evaluation``, its predicate is evaluated on a sample of the table below it."""
    if evaluation is not None and isinstance(node.child, SourceQueryOperation):
        counted = _counted(node, node.child, child, evaluation)
        if counted is not None:
            return counted
    return child.limited(child.rows * selectivity(node.condition, child), keeps_ranges=False)


def _counted(node: FilterQueryOperation, scan: SourceQueryOperation, child: Estimate, evaluation: EvaluationContext) -> Estimate | None:
    source: object = scan.source
    if not isinstance(source, SupportsSample) or scan.pushed.reduces_rows or not _is_built_in(node.condition):
        return None
    columns = scan.resolved_schema.columns
    positions = sorted({position for _, position in references([node.condition])})
    sample = source.sample([columns[position].name for position in positions])
    if sample is None:
        return None
    mask = _evaluated(node.condition, scan, positions, sample, evaluation)
    if mask is None:
        return None
    kept = mask.true_count
    if not sample.is_complete:
        return child.limited(child.rows * max(kept, _FEWEST_COUNTED) / sample.rows, keeps_ranges=False)
    result = child.limited(kept)
    if kept == sample.rows:
        return result
    whole = [position for position, column in enumerate(child.columns) if column.is_integer or column.distinct < child.rows]
    values = source.sample([columns[position].name for position in whole])
    if values is None or values.rows != sample.rows:
        return result
    made = list(result.columns)
    for position in whole:
        made[position] = _exactly(made[position], pc.filter(values.columns[columns[position].name], mask), bounded(kept))
    return Estimate(result.rows, tuple(made))


def _is_built_in(condition: ResolvedExpression) -> bool:
    """Returns whether the condition may be evaluated while planning: it gives the same result again, and runs no code of users."""
    return is_deterministic([condition]) and all(
        isinstance(node.function, BuiltInFunctionDefinition)
        for node in preorder(condition, ResolvedExpression)
        if isinstance(node, CallExpression)
    )


def _evaluated(
    condition: ResolvedExpression, scan: SourceQueryOperation, positions: list[int], sample: TableSample, evaluation: EvaluationContext
) -> pa.Array | None:
    columns = scan.resolved_schema.columns
    arrays = [
        sample.columns[column.name] if position in positions else pa.nulls(sample.rows, to_arrow_type(column.data_type))
        for position, column in enumerate(columns)
    ]
    try:
        batch = pa.RecordBatch.from_arrays(arrays, names=[f"c{position}" for position in range(len(arrays))])
        return Evaluator([condition], evaluation).evaluate_filter(batch)
    except (TableError, pa.ArrowException, ArithmeticError):  # the query reports it, if it gets there
        return None


def _exactly(column: ColumnEstimate, values: pa.Array, rows: float) -> ColumnEstimate:
    """Returns the estimate of a column whose remaining values are known."""
    if not len(values):
        return replace(column, distinct=1.0)
    distinct = pc.count_distinct(values, mode="only_valid").as_py()
    range_ = column.range
    if column.is_integer:
        bounds = pc.min_max(values).as_py()
        low, high = as_number(bounds["min"]), as_number(bounds["max"])
        range_ = None if low is None or high is None else (low, high)
    return replace(column, distinct=min(max(1.0, float(distinct)), rows), range=range_, nulls=values.null_count / len(values))


def selectivity(condition: ResolvedExpression, child: Estimate) -> float:
    """Returns the estimated share of rows for which a condition is true, from the statistics of the columns."""
    share = 1.0
    for part in conjuncts(condition):
        share *= _of_conjunct(part, child)
    return share


def _of_conjunct(part: ResolvedExpression, child: Estimate) -> float:
    if not isinstance(part, CallExpression):
        return DEFAULT_SELECTIVITY
    name = part.function.name
    if name == "OR":
        return min(1.0, sum(selectivity(arg, child) for arg in part.args))
    args = list(part.args)
    if name in _REVERSED and isinstance(args[0], ValueLiteralExpression):
        name = _REVERSED[name]
        args.reverse()
    column = _column(args[0], child) if args else None
    if column is None:
        return _SELECTIVITIES.get(name, DEFAULT_SELECTIVITY)
    if name in ("EQUALS", "IN"):
        values = len(args) - 1
        is_known = (column.is_integer or column.distinct < child.rows) and not _is_text(args[0])
        return min(1.0, values / max(column.distinct, 1.0)) if is_known else min(0.5, values * _SELECTIVITIES["EQUALS"])
    if name in ("IS_NULL", "IS_NOT_NULL") and column.nulls:
        return column.nulls if name == "IS_NULL" else 1 - column.nulls
    if name in _COMPARISONS:
        is_above, is_below = _COMPARISONS[name]
        value = _literal(args[1])
        if value is not None:
            return _within(column, value if is_below else None, value if is_above else None)
    if name == "BETWEEN" and len(args) == 3:
        low, high = _literal(args[1]), _literal(args[2])
        if low is not None and high is not None:
            return _within(column, low, high)
    return _SELECTIVITIES.get(name, DEFAULT_SELECTIVITY)


def _within(column: ColumnEstimate, low: float | None, high: float | None) -> float:
    """Returns the share of a column's range that lies between the bounds."""
    range_ = column.range or column.table_range
    if range_ is None:
        return _SELECTIVITIES["BETWEEN"] if low is not None and high is not None else DEFAULT_SELECTIVITY
    width = range_[1] - range_[0] + (1 if column.is_integer else 0)
    inside = min(range_[1], high if high is not None else range_[1]) - max(range_[0], low if low is not None else range_[0])
    inside += 1 if column.is_integer else 0
    least = 1 / max(column.distinct, 1.0)
    return min(1.0, max(inside / width if width > 0 else 1.0, least)) * (1 - column.nulls)


def _column(expression: ResolvedExpression, child: Estimate) -> ColumnEstimate | None:
    while isinstance(expression, CallExpression) and expression.function is conversion.CAST:
        expression = expression.args[0]
    return child.columns[expression.field_index] if isinstance(expression, FieldReferenceExpression) else None


def _is_text(expression: ResolvedExpression) -> bool:
    return isinstance(expression.output_type, CharacterType)


def _literal(expression: ResolvedExpression) -> float | None:
    value: Any = expression.value if isinstance(expression, ValueLiteralExpression) else None
    return as_number(value)
