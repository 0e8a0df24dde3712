"""Builders of resolved calls, references and small plans, for rewrite rules."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import AggregateCall, ProjectQueryOperation, QueryOperation, SortQueryOperation
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
    infer_call,
)
from table_common.frozen_dataclass import replace
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates, comparison, conditional, conversion
from table_common.types import APPROXIMATE_NUMERICS, BigIntType, BooleanType, LogicalType


def call(function: FunctionDefinition, *args: ResolvedExpression) -> CallExpression:
    """Returns the typed call of a function; the arguments already have the types that it takes."""
    return CallExpression(function, args, infer_call(function, args).output_type)


def case(*args: ResolvedExpression, output_type: LogicalType) -> ResolvedExpression:
    """Returns ``CASE WHEN args[0] THEN args[1] … ELSE args[-1] END``; without a branch the last argument."""
    return CallExpression(conditional.CASE, args, output_type) if len(args) > 1 else args[0]


def same_value(left: ResolvedExpression, right: ResolvedExpression) -> tuple[ResolvedExpression, ...]:
    """Returns the conditions under which GROUP BY puts two values of one type into one group: equal, both NULL, or both NaN.

    NaN compares as distinct from itself, so floating-point numbers take two conditions: one on NaN, and one on the number where it is not
    NaN.
    """
    if not isinstance(left.output_type, APPROXIMATE_NUMERICS):
        return (_equal_or_null(left, right),)
    is_number = [call(comparison.EQUALS, value, value) for value in (left, right)]
    numbers = [
        case(test, value, _null_of(value), output_type=value.output_type.with_nullability(True))
        for test, value in zip(is_number, (left, right), strict=True)
    ]
    return _equal_or_null(*is_number), _equal_or_null(*numbers)


def _equal_or_null(left: ResolvedExpression, right: ResolvedExpression) -> CallExpression:
    sure = not (left.output_type.nullable and right.output_type.nullable)
    return call(comparison.EQUALS if sure else comparison.IS_NOT_DISTINCT_FROM, left, right)


def _null_of(value: ResolvedExpression) -> ValueLiteralExpression:
    return ValueLiteralExpression(None, value.output_type.with_nullability(True))


def boolean(value: bool | None) -> ResolvedExpression:
    """Returns the literal TRUE or FALSE; for None, NULL of type BOOLEAN."""
    return ValueLiteralExpression(value, BooleanType(nullable=value is None))


def number(value: int) -> ResolvedExpression:
    """Returns a BIGINT literal."""
    return ValueLiteralExpression(value, BigIntType(nullable=False))


def reference(child: QueryOperation, position: int) -> FieldReferenceExpression:
    """Returns the reference to a column of a query."""
    column = child.resolved_schema.columns[position]
    return FieldReferenceExpression(column.name, column.data_type, 0, position)


def references_of(child: QueryOperation) -> tuple[FieldReferenceExpression, ...]:
    """Returns the references to all columns of a query."""
    return tuple(FieldReferenceExpression(c.name, c.data_type, 0, i) for i, c in enumerate(child.resolved_schema.columns))


def columns_of(child: QueryOperation, count: int) -> QueryOperation:
    """Returns the first columns of a query."""
    return child if len(child.resolved_schema.columns) == count else project(references_of(child)[:count], child)


def project(expressions: Sequence[ResolvedExpression], child: QueryOperation) -> ProjectQueryOperation:
    """Returns a projection of the expressions; references keep their names."""
    names = (e.name if isinstance(e, FieldReferenceExpression) else f"$c{i}" for i, e in enumerate(expressions))
    return ProjectQueryOperation(tuple(expressions), tuple(names), child)


def first_row(query: QueryOperation) -> QueryOperation:
    """Returns the query limited to one row."""
    return SortQueryOperation((), query, 0, 1)


def count_rows() -> AggregateCall:
    """Returns ``COUNT(*)``."""
    return AggregateCall(aggregates.COUNT, (), BigIntType(nullable=False))


def with_type(expression: ResolvedExpression, target: LogicalType) -> ResolvedExpression:
    """Returns the expression with type ``target``, which may differ from its own in nullability only."""
    if expression.output_type == target:
        return expression
    if isinstance(expression, ValueLiteralExpression):
        return ValueLiteralExpression(expression.value, target)
    if target.nullable and isinstance(expression, CallExpression) and expression.function is not conversion.CAST:
        return replace(expression, output_type=target)
    return CallExpression(conversion.CAST, (expression, TypeLiteralExpression(target)), target)
