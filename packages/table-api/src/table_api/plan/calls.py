"""Making resolved calls and references in rewrites."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import AggregateCall, ProjectQueryOperation, QueryOperation, SortQueryOperation
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.inference import infer_call
from table_common.types import BigIntType, BooleanType, LogicalType

__all__ = [
    "boolean",
    "call",
    "case",
    "columns_of",
    "count_rows",
    "equality",
    "first_row",
    "number",
    "project",
    "reference",
    "references_of",
    "with_type",
]


def call(name: str, *args: ResolvedExpression) -> CallExpression:
    """Returns the call of a built-in function whose arguments have the types that it takes."""
    definition = BUILT_INS_BY_NAME[name]
    return CallExpression(definition, args, infer_call(definition, args).output_type)


def case(*args: ResolvedExpression, output_type: LogicalType) -> ResolvedExpression:
    """Returns ``CASE WHEN args[0] THEN args[1] … ELSE args[-1] END``; without a branch the last argument."""
    return CallExpression(BUILT_INS_BY_NAME["CASE"], args, output_type) if len(args) > 1 else args[0]


def equality(left: ResolvedExpression, right: ResolvedExpression) -> CallExpression:
    """Returns whether two values of one type are equal, or both NULL."""
    sure = not (left.output_type.nullable and right.output_type.nullable)
    return call("EQUALS" if sure else "IS_NOT_DISTINCT_FROM", left, right)


def boolean(value: bool | None) -> ResolvedExpression:
    """Returns TRUE, FALSE or, for None, unknown."""
    return ValueLiteralExpression(value, BooleanType(nullable=value is None))


def number(value: int) -> ResolvedExpression:
    """Returns a BIGINT."""
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
    """Returns the projection in which references keep their names."""
    names = (e.name if isinstance(e, FieldReferenceExpression) else f"$c{i}" for i, e in enumerate(expressions))
    return ProjectQueryOperation(tuple(expressions), tuple(names), child)


def first_row(query: QueryOperation) -> QueryOperation:
    """Returns one row of a query, if it has any."""
    return SortQueryOperation((), query, 0, 1)


def count_rows() -> AggregateCall:
    """Returns ``COUNT(*)``."""
    return AggregateCall(BUILT_INS_BY_NAME["COUNT"], (), BigIntType(nullable=False))


def with_type(expression: ResolvedExpression, wanted: LogicalType) -> ResolvedExpression:
    """Returns the same value as of ``wanted``, which differs at most in whether it may be NULL."""
    if expression.output_type == wanted:
        return expression
    if isinstance(expression, ValueLiteralExpression):
        return ValueLiteralExpression(expression.value, wanted)
    if wanted.nullable and isinstance(expression, CallExpression) and expression.function is not BUILT_INS_BY_NAME["CAST"]:
        return replace(expression, output_type=wanted)
    return CallExpression(BUILT_INS_BY_NAME["CAST"], (expression, TypeLiteralExpression(wanted)), wanted)
