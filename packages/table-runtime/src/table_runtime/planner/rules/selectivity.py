"""The share of rows that a predicate keeps: counted in a sample of the table, otherwise from ranges and distinct values."""

from __future__ import annotations

from typing import Any

from table_api.operations import FilterQueryOperation, SourceQueryOperation
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression, conjuncts
from table_common.functions.builtin import conversion
from table_common.types import CharacterType
from table_runtime.expressions import EvaluationContext
from table_runtime.planner.rules.column_estimates import DEFAULT_SELECTIVITY, ColumnEstimate, Estimate, as_number
from table_runtime.planner.rules.sample_counts import counted_estimate

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


def filtered(node: FilterQueryOperation, child: Estimate, evaluation: EvaluationContext | None) -> Estimate:
    """Returns the estimate of a filter; with ``evaluation``, its predicate is evaluated on a sample of the table below it."""
    if evaluation is not None and isinstance(node.child, SourceQueryOperation):
        counted = counted_estimate(node.condition, node.child, child, evaluation)
        if counted is not None:
            return counted
    return child.limited(child.rows * selectivity(node.condition, child), keeps_ranges=False)


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
