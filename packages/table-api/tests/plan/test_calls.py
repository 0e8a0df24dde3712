"""Builders of resolved calls and references."""

from __future__ import annotations

import pytest

from table_api.operations import QueryOperation, ValuesQueryOperation
from table_api.plan.calls import boolean, case, columns_of, first_row, number, reference, references_of, same_value, with_type
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import conversion
from table_common.types import BigIntType, DoubleType, IntType

ROWS = ValuesQueryOperation((), ResolvedSchema((PhysicalColumn("a", IntType()), PhysicalColumn("b", DoubleType()))))


def test_a_reference_has_the_name_and_the_type_of_the_column() -> None:
    assert reference(ROWS, 1) == FieldReferenceExpression("b", DoubleType(), 0, 1)
    assert references_of(ROWS) == (reference(ROWS, 0), reference(ROWS, 1))


def test_the_first_columns_are_a_projection() -> None:
    selected: QueryOperation = columns_of(ROWS, 1)
    assert selected.resolved_schema.column_names == ("a",)


def test_the_first_row_is_a_limit_of_one() -> None:
    assert "fetch" in dict(first_row(ROWS).summary_details())


def test_a_case_without_branches_is_its_default() -> None:
    assert case(number(1), output_type=BigIntType()) == number(1)


@pytest.mark.parametrize("value", [True, False, None])
def test_unknown_is_a_nullable_boolean(value: bool | None) -> None:
    literal = boolean(value)
    assert isinstance(literal, ValueLiteralExpression)
    assert (literal.value, literal.output_type.nullable) == (value, value is None)


def test_floating_point_numbers_are_the_same_by_more_than_one_condition() -> None:
    assert len(same_value(reference(ROWS, 0), reference(ROWS, 0))) == 1
    assert len(same_value(reference(ROWS, 1), reference(ROWS, 1))) == 2


def test_only_nullability_that_is_removed_needs_a_cast() -> None:
    column = reference(ROWS, 0)
    assert with_type(column, IntType()) is column
    cast = with_type(column, IntType(nullable=False))
    assert isinstance(cast, CallExpression)
    assert cast.function is conversion.CAST
