from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.expressions.call_inference import infer_call
from table_common.functions.builtin.declarations import aggregate, infix, nullable, operator, postfix, prefix, returns, scalar, unit_of
from table_common.functions.definition import FunctionKind
from table_common.inference.argument_types import any_type
from table_common.inference.input_strategies import sig
from table_common.types import IntType, LogicalType, SymbolType, VarCharType
from table_common.types.symbols import TimeUnit


def _column(type_: LogicalType) -> FieldReferenceExpression:
    return FieldReferenceExpression("c", type_, 0, 0)


def test_a_scalar_function_is_called_by_its_name() -> None:
    definition = scalar("F", sig(any_type()), returns(IntType()))
    assert (definition.name, definition.kind, definition.is_operator) == ("F", FunctionKind.SCALAR, False)
    assert definition.render_sql(["a"]) == "F(a)"


def test_an_aggregate_is_of_its_kind() -> None:
    assert aggregate("A", sig(any_type()), nullable(IntType())).kind is FunctionKind.AGGREGATE


def test_an_operator_is_rendered_by_its_writer_and_has_no_callable_name() -> None:
    definition = operator("PLUS", sig(any_type(), any_type()), returns(IntType()), infix("+"))
    assert definition.is_operator
    assert definition.render_sql(["a", "b"]) == "(a + b)"


def test_returns_is_nullable_if_an_argument_is() -> None:
    definition = scalar("F", sig(any_type()), returns(VarCharType()))
    assert infer_call(definition, [_column(IntType(nullable=False))]).output_type == VarCharType(nullable=False)
    assert infer_call(definition, [_column(IntType())]).output_type == VarCharType()


def test_nullable_is_nullable_for_arguments_that_are_not() -> None:
    definition = scalar("F", sig(any_type()), nullable(IntType()))
    assert infer_call(definition, [_column(IntType(nullable=False))]).output_type == IntType()


def test_prefix_and_postfix_operators_are_parenthesized() -> None:
    assert prefix("-")(["(- a)"]) == "(- (- a))"
    assert postfix("IS NULL")(["a"]) == "(a IS NULL)"


def test_unit_of_accepts_only_the_units_named() -> None:
    definition = scalar("F", sig(unit_of(TimeUnit.DAY)), returns(IntType()))
    day, hour = (ValueLiteralExpression(unit, SymbolType(nullable=False)) for unit in (TimeUnit.DAY, TimeUnit.HOUR))
    assert infer_call(definition, [day]).output_type == IntType(nullable=False)
    with pytest.raises(ValidationException, match="F"):
        infer_call(definition, [hour])
