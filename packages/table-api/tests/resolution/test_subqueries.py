"""Queries as values of expressions: columns, operands and types."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import Subquery, SubqueryKind
from table_api.operations import AggregateQueryOperation, ProjectQueryOperation, SubqueryExpression, ValuesQueryOperation
from table_api.resolution.outer_scope import OuterScope
from table_api.resolution.scope import Scope
from table_api.resolution.subqueries import resolve_subquery
from table_common.catalog import ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import ArrayType, BigIntType, BooleanType, IntType, LogicalType, MultisetType, RowType, VarCharType

OPERAND = FieldReferenceExpression("a", IntType(nullable=False), 0, 0)
IN_KINDS = (SubqueryKind.IN, SubqueryKind.NOT_IN, SubqueryKind.ANY, SubqueryKind.ALL)


def query(*types: LogicalType) -> ValuesQueryOperation:
    return ValuesQueryOperation((), ResolvedSchema.physical((f"c{i}", type_) for i, type_ in enumerate(types)))


def resolved(kind: SubqueryKind, rows: ValuesQueryOperation, operand: ResolvedExpression | None = None) -> SubqueryExpression:
    comparison = BUILT_INS_BY_NAME["LESS_THAN"] if kind in (SubqueryKind.ANY, SubqueryKind.ALL) else None
    expression = resolve_subquery(Subquery(kind, rows, comparison=comparison), operand, OuterScope(Scope()), None)
    assert isinstance(expression, SubqueryExpression)
    return expression


def row_of(*fields: ResolvedExpression) -> CallExpression:
    types = RowType.of([(f"f{i}", field.output_type) for i, field in enumerate(fields)])
    return CallExpression(BUILT_INS_BY_NAME["ROW"], fields, types)


def test_exists_is_never_null_whatever_the_columns() -> None:
    assert resolved(SubqueryKind.EXISTS, query(IntType(), VarCharType())).output_type == BooleanType(nullable=False)


def test_a_scalar_query_is_null_without_rows() -> None:
    assert resolved(SubqueryKind.SCALAR, query(IntType(nullable=False))).output_type == IntType()


@pytest.mark.parametrize("kind", IN_KINDS)
@pytest.mark.parametrize("nullable", [True, False])
def test_a_comparison_is_nullable_with_its_sides(kind: SubqueryKind, nullable: bool) -> None:
    assert resolved(kind, query(IntType(nullable=nullable)), OPERAND).output_type == BooleanType(nullable=nullable)


def test_both_sides_are_cast_to_their_common_type() -> None:
    wider = resolved(SubqueryKind.IN, query(BigIntType(nullable=False)), OPERAND)
    assert [operand.output_type for operand in wider.operands] == [BigIntType(nullable=False)]
    narrower = resolved(SubqueryKind.IN, query(IntType()), FieldReferenceExpression("a", BigIntType(), 0, 0))
    assert isinstance(narrower.query, ProjectQueryOperation)
    assert narrower.query.resolved_schema.column_types == (BigIntType(),)


def test_a_query_of_the_right_types_stays_the_same_object() -> None:
    rows = query(IntType())
    assert resolved(SubqueryKind.IN, rows, OPERAND).query is rows


def test_the_fields_of_a_row_are_compared_with_the_columns() -> None:
    rows = query(IntType(), VarCharType())
    name = FieldReferenceExpression("b", VarCharType(), 0, 1)
    assert resolved(SubqueryKind.IN, rows, row_of(OPERAND, name)).operands == (OPERAND, name)
    column = FieldReferenceExpression("r", RowType.of([("x", IntType()), ("y", VarCharType())]), 0, 0)
    assert [operand.output_type for operand in resolved(SubqueryKind.IN, rows, column).operands] == [IntType(), VarCharType()]


@pytest.mark.parametrize(
    ("kind", "output_type"),
    [(SubqueryKind.ARRAY, ArrayType(IntType())), (SubqueryKind.MULTISET, MultisetType(IntType()))],
)
def test_a_collection_is_an_aggregate_over_the_query(kind: SubqueryKind, output_type: LogicalType) -> None:
    expression = resolved(kind, query(IntType()))
    assert expression.kind is SubqueryKind.SCALAR
    assert isinstance(expression.query, AggregateQueryOperation)
    assert expression.output_type == output_type


@pytest.mark.parametrize(
    ("kind", "rows", "operand", "message"),
    [
        (SubqueryKind.SCALAR, query(IntType(), IntType()), None, "A scalar subquery has one column, but this one has 2"),
        (SubqueryKind.ARRAY, query(IntType(), IntType()), None, r"ARRAY\(query\) has one column"),
        (SubqueryKind.IN, query(IntType(), IntType()), OPERAND, "compares one value with a query of 2 columns"),
        (SubqueryKind.IN, query(IntType()), row_of(OPERAND, OPERAND), "compares 2 values with a query of 1 column,"),
        (SubqueryKind.ALL, query(IntType(), IntType()), row_of(OPERAND, OPERAND), "compares one value, not a row"),
        (SubqueryKind.MAP, query(IntType()), None, r"MAP\(query\) is not supported"),
    ],
)
def test_a_query_of_another_shape_is_refused(
    kind: SubqueryKind, rows: ValuesQueryOperation, operand: ResolvedExpression | None, message: str
) -> None:
    with pytest.raises(ValidationException, match=message):
        resolved(kind, rows, operand)
