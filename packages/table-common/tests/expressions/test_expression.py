from __future__ import annotations

from decimal import Decimal

import pytest

from table_common.expressions import (
    AggregateExpression,
    CallExpression,
    ExpressionVisitor,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.functions.builtin import aggregates, arithmetic
from table_common.types import BigIntType, CharType, DecimalType, IntType, NullType

COLUMN = FieldReferenceExpression("a`b", IntType(), 0, 0)
ONE = ValueLiteralExpression(1, IntType(nullable=False))
SUM = CallExpression(arithmetic.PLUS, (COLUMN, ONE), IntType())


class Kinds(ExpressionVisitor[str]):
    def visit_call(self, expression: CallExpression) -> str:
        return f"call({', '.join(child.accept(self) for child in expression.children)})"

    def default(self, expression: ResolvedExpression) -> str:
        return type(expression).__name__


def test_a_column_is_quoted_in_sql_text_and_not_in_the_summary() -> None:
    assert COLUMN.as_serializable_string() == "`a``b`"
    assert str(COLUMN) == "a`b"


def test_the_children_of_a_call_are_its_arguments() -> None:
    assert SUM.children == (COLUMN, ONE)
    assert COLUMN.children == ()


def test_a_call_prints_as_its_function_renders_it() -> None:
    assert SUM.as_serializable_string() == "(`a``b` + 1)"
    assert str(SUM) == "(a`b + 1)"


@pytest.mark.parametrize(
    ("literal", "summary"),
    [
        (ValueLiteralExpression(None, NullType()), "NULL"),
        (ValueLiteralExpression(Decimal("1E+3"), DecimalType(4, 0)), "1000"),
        (ValueLiteralExpression("it's", CharType(4, nullable=False)), "'it''s'"),
    ],
)
def test_a_constant_has_a_short_summary(literal: ValueLiteralExpression, summary: str) -> None:
    assert str(literal) == summary


def test_only_none_is_null() -> None:
    assert ValueLiteralExpression(None, IntType()).is_null()
    assert not ValueLiteralExpression(0, IntType()).is_null()


def test_a_visitor_is_called_by_class_and_falls_back_to_default() -> None:
    assert SUM.accept(Kinds()) == "call(FieldReferenceExpression, ValueLiteralExpression)"
    assert TypeLiteralExpression(IntType()).accept(Kinds()) == "TypeLiteralExpression"


def test_a_visitor_without_default_names_what_it_does_not_visit() -> None:
    with pytest.raises(NotImplementedError, match="does not visit FieldReferenceExpression"):
        COLUMN.accept(ExpressionVisitor[None]())


def test_expressions_are_compared_by_structure() -> None:
    assert CallExpression(arithmetic.PLUS, (COLUMN, ONE), IntType()) == SUM
    assert CallExpression(arithmetic.MINUS, (COLUMN, ONE), IntType()) != SUM


def test_an_aggregate_prints_as_sql() -> None:
    column = FieldReferenceExpression("a b", IntType(), 0, 0)
    count = AggregateExpression(aggregates.COUNT, (), BigIntType(nullable=False))
    total = AggregateExpression(aggregates.SUM, (column,), IntType(), distinct=True)
    assert (count.as_serializable_string(), total.as_serializable_string()) == ("COUNT(*)", "SUM(DISTINCT `a b`)")
