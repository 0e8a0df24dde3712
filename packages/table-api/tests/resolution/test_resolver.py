"""Expressions get columns, types and positions."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.expressions.unresolved import (
    Alias,
    Call,
    Literal,
    NamedArgument,
    QueryArgument,
    Reference,
    ResolvedLeaf,
    SortKey,
    Span,
    Star,
    Subquery,
    SubqueryKind,
    Symbol,
    TypeLiteral,
    UnresolvedExpression,
)
from table_api.operations import SortOrder
from table_api.resolution.resolver import ExpressionResolver, as_boolean
from table_api.resolution.scope import Scope
from table_common.catalog import ResolvedSchema
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, TimeUnit, TypeLiteralExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME, windows
from table_common.types import BigIntType, BooleanType, IntType, NullType, RowType, VarCharType

COLUMNS = ResolvedSchema.physical([("a", IntType()), ("r", RowType.of([("x", BigIntType(nullable=False))]))])
A = FieldReferenceExpression("a", IntType(), 0, 0)
ONE = Literal(1, IntType(nullable=False))
TEXT = "SELECT a FROM t"


@pytest.fixture
def resolver(session: Any) -> ExpressionResolver:
    return ExpressionResolver(session, Scope.of(COLUMNS), TEXT)


def place(position: SourcePosition | None) -> tuple[int, int] | None:
    """Returns line and column."""
    return None if position is None else (position.line, position.column)


def plus(*args: UnresolvedExpression, **spans: Any) -> Call:
    return Call(BUILT_INS_BY_NAME["PLUS"], args, **spans)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (Reference(("a",)), A),
        (ONE, ValueLiteralExpression(1, IntType(nullable=False))),
        (TypeLiteral(BigIntType()), TypeLiteralExpression(BigIntType())),
        (ResolvedLeaf(A), A),
    ],
    ids=str,
)
def test_a_leaf_is_resolved(resolver: ExpressionResolver, expression: UnresolvedExpression, expected: Any) -> None:
    assert resolver.resolve(expression) == expected


def test_a_keyword_is_a_symbol(resolver: ExpressionResolver) -> None:
    symbol = resolver.resolve(Symbol("DAY"))
    assert isinstance(symbol, ValueLiteralExpression)
    assert symbol.value is TimeUnit.DAY


def test_a_field_of_a_row_is_nullable_with_the_row(resolver: ExpressionResolver) -> None:
    assert resolver.resolve(Reference(("r", "x"))).output_type == BigIntType()


def test_a_function_without_parentheses_is_found_after_columns(resolver: ExpressionResolver) -> None:
    call = resolver.resolve(Reference(("CURRENT_DATE",)))
    assert isinstance(call, CallExpression)
    assert call.function.name == "CURRENT_DATE"


def test_a_deep_expression_needs_no_deep_stack(resolver: ExpressionResolver) -> None:
    expression: UnresolvedExpression = ONE
    for _ in range(3_000):
        expression = plus(expression, ONE)
    assert resolver.resolve(expression).output_type == IntType(nullable=False)


@pytest.mark.parametrize(
    ("key", "nulls_first"),
    [(SortKey(ONE), True), (SortKey(ONE, ascending=False), False), (SortKey(ONE, nulls_first=False), False)],
)
def test_nulls_sort_lowest_unless_the_key_says_where(resolver: ExpressionResolver, key: SortKey, nulls_first: bool) -> None:
    order = resolver.resolve_order(key)
    assert isinstance(order, SortOrder)
    assert (order.ascending, order.nulls_first) == (key.ascending, nulls_first)


def test_the_position_of_a_resolved_expression_is_known(resolver: ExpressionResolver) -> None:
    expression = resolver.resolve(Reference(("a",), span=Span(7, 8)))
    assert place(resolver.position_of(expression)) == (1, 8)
    assert resolver.position_of(A) is None


def test_an_error_has_the_position_of_the_innermost_expression(resolver: ExpressionResolver) -> None:
    wrong = plus(ONE, Reference(("b",), span=Span(7, 8)), span=Span(0, 15))
    with pytest.raises(ValidationException, match="Column 'b' does not exist") as caught:
        resolver.resolve(wrong)
    assert place(caught.value.position) == (1, 8)


def test_without_a_statement_there_are_no_positions(session: Any) -> None:
    resolver = ExpressionResolver(session, Scope.of(COLUMNS))
    assert resolver.position(Span(7, 8)) is None
    with pytest.raises(ValidationException) as caught:
        resolver.resolve(Reference(("b",), span=Span(7, 8)))
    assert caught.value.position is None


@pytest.mark.parametrize(
    ("expression", "error", "message"),
    [
        (plus(Alias(ONE, "b", ("c",)), ONE), ValidationException, "Only a table or a table function can have several aliases"),
        (plus(Star(), ONE), ValidationException, r"'\*' cannot be used here"),
        (Subquery(SubqueryKind.EXISTS, object()), ValidationException, "A subquery is not allowed in this expression"),
        (QueryArgument(object()), ValidationException, "A table can only be used as an argument of a table function"),
        (Call(windows.LAST, (Reference(("a",)),)), ValidationException, "LAST can only be used in MATCH_RECOGNIZE"),
    ],
    ids=["alias", "star", "subquery", "query argument", "last"],
)
def test_what_cannot_stand_in_the_expression_is_refused(
    resolver: ExpressionResolver, expression: UnresolvedExpression, error: type[TableException], message: str
) -> None:
    with pytest.raises(error, match=message):
        resolver.resolve(expression)


def test_a_condition_is_boolean_and_null_becomes_a_boolean() -> None:
    condition = ValueLiteralExpression(True, BooleanType(nullable=False))
    assert as_boolean(condition, "WHERE", None) is condition
    assert as_boolean(ValueLiteralExpression(None, NullType()), "WHERE", None).output_type == BooleanType()
    with pytest.raises(ValidationException, match="WHERE takes a BOOLEAN condition, but the expression is of type STRING"):
        as_boolean(ValueLiteralExpression("a", VarCharType()), "WHERE", None)


@pytest.mark.parametrize("named", [False, True], ids=["positional", "named"])
def test_a_missing_function_of_a_table_is_what_is_missing(resolver: ExpressionResolver, named: bool) -> None:
    table = QueryArgument(object(), (Reference(("nosuch_column",)),))
    with pytest.raises(ValidationException, match="nosuch_function"):
        resolver.resolve(Call(("nosuch_function",), (NamedArgument("input", table) if named else table,)))


def test_a_function_that_takes_no_table_says_so_before_the_columns_of_the_table(resolver: ExpressionResolver) -> None:
    with pytest.raises(ValidationException, match="A table can only be used as an argument of a table function"):
        resolver.resolve(Call(("UPPER",), (QueryArgument(object(), (Reference(("nosuch_column",)),)),)))


def test_a_row_needs_a_value(resolver: ExpressionResolver) -> None:
    with pytest.raises(ValidationException, match="ROW needs at least one value"):
        resolver.resolve(Call(BUILT_INS_BY_NAME["ROW"]))
