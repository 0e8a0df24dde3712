"""Expressions as SQL over given texts of columns."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.expressions.unresolved import SubqueryKind
from table_api.operations import OuterReferenceExpression, SortOrder, SubqueryExpression, ValuesQueryOperation
from table_api.operations.sql_text.block import Cell
from table_api.operations.sql_text.expressions import cell_of, expression_text, order_text, type_text, uses_outer_rows
from table_api.operations.sql_text.printer import SqlPrinter
from table_api.plan.calls import call
from table_api.udf import udf
from table_common.catalog import ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import as_user_function
from table_common.functions.builtin import arithmetic, comparison, logic, strings
from table_common.functions.builtin import math as math_functions
from table_common.types import (
    BigIntType,
    BooleanType,
    CharType,
    DecimalType,
    DoubleType,
    IntType,
    LogicalType,
    RawType,
    VarBinaryType,
    VarCharType,
)

A = FieldReferenceExpression("a", BigIntType(), 0, 0)
S = FieldReferenceExpression("s", VarCharType(), 0, 1)
OUTER = OuterReferenceExpression("o", BigIntType(), 0)


def literal(value: Any, type_: LogicalType) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, type_)


def one(value: int = 1) -> ValueLiteralExpression:
    return literal(value, BigIntType(nullable=False))


def text_of(expression: ResolvedExpression, printer: SqlPrinter | None = None) -> str:
    return expression_text(expression, [["`t`.`a`", "`t`.`s`"]], printer or SqlPrinter(lambda function: None, ("`x`.`o`",)))


def subquery(kind: SubqueryKind, **fields: Any) -> SubqueryExpression:
    query = ValuesQueryOperation(((one(),),), ResolvedSchema.physical([("n", BigIntType(nullable=False))]))
    return SubqueryExpression(kind, query, BooleanType(), **fields)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (call(arithmetic.TIMES, call(arithmetic.PLUS, A, A), A), "((`t`.`a` + `t`.`a`) * `t`.`a`)"),
        (call(arithmetic.PLUS, call(arithmetic.TIMES, A, A), A), "(`t`.`a` * `t`.`a` + `t`.`a`)"),
        (call(logic.AND, call(comparison.EQUALS, A, A), call(comparison.IS_NULL, S)), "(`t`.`a` = `t`.`a` AND (`t`.`s` IS NULL))"),
        (call(strings.UPPER, call(strings.LOWER, S)), "UPPER(LOWER(`t`.`s`))"),
        (call(arithmetic.PLUS, OUTER, A), "(`x`.`o` + `t`.`a`)"),
    ],
    ids=str,
)
def test_parentheses_stand_only_where_the_operator_around_binds_tighter(expression: ResolvedExpression, text: str) -> None:
    assert text_of(expression) == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (call(comparison.EQUALS, A, one(5)), "(`t`.`a` = 5)"),
        (call(comparison.EQUALS, A, one(2**40)), "(`t`.`a` = 1099511627776)"),
        (call(comparison.EQUALS, S, literal("it's", VarCharType(nullable=False))), "(`t`.`s` = 'it''s')"),
        (call(arithmetic.PLUS, A, one(5)), "(`t`.`a` + CAST(5 AS BIGINT))"),
    ],
    ids=str,
)
def test_a_constant_beside_a_compared_column_needs_no_cast(expression: ResolvedExpression, text: str) -> None:
    assert text_of(expression) == text


@pytest.mark.parametrize(
    ("kind", "fields", "start"),
    [
        (SubqueryKind.SCALAR, {}, "(\nSELECT"),
        (SubqueryKind.EXISTS, {}, "EXISTS (\nSELECT"),
        (SubqueryKind.NOT_IN, {"operands": (A,)}, "(`t`.`a` NOT IN (\nSELECT"),
        (SubqueryKind.IN, {"operands": (A, S)}, "((`t`.`a`, `t`.`s`) IN (\nSELECT"),
        (SubqueryKind.ALL, {"operands": (A,), "comparison": comparison.LESS_THAN}, "(`t`.`a` < ALL (\nSELECT"),
    ],
)
def test_a_subquery_is_written_as_its_kind(kind: SubqueryKind, fields: dict[str, Any], start: str) -> None:
    assert text_of(subquery(kind, **fields)).startswith(start)


def test_a_user_function_is_called_by_its_registered_name() -> None:
    function = as_user_function(udf(lambda a: a, result_type="BIGINT", name="same"))
    expression = CallExpression(function, (A,), BigIntType())
    assert text_of(expression, SqlPrinter(lambda _: "`c`.`d`.`same`")) == "`c`.`d`.`same`(`t`.`a`)"
    with pytest.raises(ValidationException, match="the function 'same' is not registered"):
        text_of(expression)


def test_a_constant_without_sql_is_refused() -> None:
    with pytest.raises(ValidationException, match="The query cannot be written as SQL"):
        text_of(literal(object(), RawType("java.lang.Object")))


@pytest.mark.parametrize(
    ("order", "text"),
    [
        (SortOrder(A, True, True), "k"),
        (SortOrder(A, False, False), "k DESC"),
        (SortOrder(A, True, False), "k NULLS LAST"),
        (SortOrder(A, False, True), "k DESC NULLS FIRST"),
    ],
)
def test_the_default_order_of_nulls_is_not_written(order: SortOrder, text: str) -> None:
    assert order_text(order, "k") == text


@pytest.mark.parametrize(
    ("expression", "cell"),
    [
        (A, Cell.REFERENCE),
        (OUTER, Cell.REFERENCE),
        (call(arithmetic.PLUS, A, one()), Cell.SCALAR),
        (one(), Cell.OTHER),
        (call(arithmetic.PLUS, A, CallExpression(math_functions.RAND, (), DoubleType())), Cell.OTHER),
        (subquery(SubqueryKind.SCALAR), Cell.OTHER),
    ],
    ids=str,
)
def test_only_a_deterministic_expression_over_columns_may_be_repeated(expression: ResolvedExpression, cell: Cell) -> None:
    assert cell_of(expression) is cell


def test_a_subquery_with_arguments_uses_outer_rows() -> None:
    assert uses_outer_rows([A, call(logic.NOT, subquery(SubqueryKind.EXISTS, arguments=(A,)))])
    assert not uses_outer_rows([A, subquery(SubqueryKind.EXISTS)])


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (VarCharType(nullable=False), "STRING"),
        (VarBinaryType(), "BYTES"),
        (CharType(3, nullable=False), "CHAR(3)"),
        (DecimalType(10, 2), "DECIMAL(10, 2)"),
        (IntType(nullable=False), "INT"),
    ],
)
def test_the_target_of_a_cast_is_written_without_nullability(type_: LogicalType, text: str) -> None:
    assert type_text(type_) == text
