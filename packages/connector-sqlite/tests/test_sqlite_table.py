"""Predicates as SQLite's SQL, and those that SQLite would evaluate differently."""

from __future__ import annotations

import pytest

from connector_sqlite.sqlite_table import SqliteTable
from table_common.connector.sql import condition_sql
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, BooleanType, CharType, DateType, DoubleType, LogicalType, VarCharType

COLUMNS = SqliteTable("t", {"n": "INTEGER", "s": "TEXT", "d": "REAL", "b": "INTEGER", "untyped": ""})
N = FieldReferenceExpression("n", BigIntType(), 0, 0)
S = FieldReferenceExpression("s", VarCharType(), 0, 1)
B = FieldReferenceExpression("b", BooleanType(), 0, 3)
UNTYPED = FieldReferenceExpression("untyped", VarCharType(), 0, 4)


def call(name: str, *args: ResolvedExpression) -> CallExpression:
    return CallExpression(BUILT_INS_BY_NAME[name], args, BooleanType())


def constant(value: object, type_: LogicalType) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, type_)


def text(value: str) -> ValueLiteralExpression:
    return constant(value, CharType(max(1, len(value)), nullable=False))


ONE = constant(1, BigIntType(nullable=False))


@pytest.mark.parametrize(
    ("expression", "sql"),
    [
        (call("EQUALS", N, ONE), '("n" = 1)'),
        (call("IS_NOT_DISTINCT_FROM", N, ONE), '("n" IS 1)'),
        (call("EQUALS", S, text("it's")), "(\"s\" COLLATE BINARY = 'it''s')"),
        (call("BETWEEN", N, ONE, ONE), '("n" BETWEEN 1 AND 1)'),
        (call("NOT_IN", N, ONE, ONE), '("n" NOT IN (1, 1))'),
        (call("AND", call("EQUALS", N, ONE), B), '(("n" = 1) AND ("b" <> 0))'),
        (call("NOT", B), '(NOT ("b" <> 0))'),
        (call("IS_NULL", UNTYPED), '("untyped" IS NULL)'),
        (call("LIKE", S, text("a_%*")), "(\"s\" GLOB 'a?*[*]')"),
        (call("NOT_LIKE", S, text("abc")), "(\"s\" COLLATE BINARY <> 'abc')"),
    ],
    ids=str,
)
def test_a_predicate_is_translated(expression: ResolvedExpression, sql: str) -> None:
    assert condition_sql(expression, COLUMNS) == sql


@pytest.mark.parametrize(
    "expression",
    [
        call("EQUALS", UNTYPED, text("5")),
        call("EQUALS", N, constant(1.0, DoubleType(nullable=False))),
        call("OR", call("EQUALS", N, ONE), call("EQUALS", UNTYPED, text("5"))),
        call("LIKE", S, text("a\\%")),
        call("LIKE", S, S),
    ],
    ids=str,
)
def test_a_predicate_with_another_result_in_sqlite_is_not_translated(expression: ResolvedExpression) -> None:
    assert condition_sql(expression, COLUMNS) is None


def test_text_is_ordered_by_code_points_in_utf_8_only() -> None:
    less = call("LESS_THAN", S, text("a"))
    assert condition_sql(less, COLUMNS) is not None
    assert condition_sql(less, SqliteTable("t", COLUMNS.columns, is_utf8=False)) is None


@pytest.mark.parametrize(
    ("literal", "sql"),
    [
        (constant(True, BooleanType(nullable=False)), "1"),
        (constant(1.5, DoubleType(nullable=False)), "1.5"),
        (constant(float("nan"), DoubleType(nullable=False)), None),
        (constant(-(1 << 63), BigIntType(nullable=False)), None),
        (text("a\0b"), None),
        (constant(None, DateType()), None),
    ],
    ids=["boolean", "double", "nan", "smallest BIGINT", "NUL", "NULL"],
)
def test_a_constant_is_a_literal_if_sqlite_has_one(literal: ValueLiteralExpression, sql: str | None) -> None:
    assert COLUMNS.literal(literal) == sql
