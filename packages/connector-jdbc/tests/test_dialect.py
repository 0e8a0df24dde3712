"""Predicates as PostgreSQL's SQL, and those that PostgreSQL would evaluate differently."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from connector_jdbc.postgres_column import PostgresColumn
from connector_jdbc.postgres_table import PostgresTable
from table_common.connector.sql import condition_sql
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import (
    BigIntType,
    BooleanType,
    CharType,
    DateType,
    DecimalType,
    DoubleType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    VarCharType,
)

TYPES: dict[str, tuple[str, LogicalType]] = {
    "n": ("int8", BigIntType()),
    "s": ("text", VarCharType()),
    "u": ("uuid", VarCharType()),
    "c": ("bpchar", VarCharType()),
    "nc": ("text", VarCharType()),
    "d": ("float8", DoubleType()),
    "e": ("float8", DoubleType()),
    "p": ("numeric", DecimalType(10, 2)),
    "b": ("bool", BooleanType()),
    "day": ("date", DateType()),
    "t": ("timestamp", TimestampType(6)),
    "short": ("timestamp", TimestampType(3)),
    "i": ("timestamptz", LocalZonedTimestampType(6)),
}
TABLE = PostgresTable(
    "public",
    "t",
    {name: PostgresColumn(name, type_name, "b", type_name, is_deterministic=name != "nc") for name, (type_name, _) in TYPES.items()},
)


def column(name: str) -> FieldReferenceExpression:
    return FieldReferenceExpression(name, TYPES[name][1], 0, list(TYPES).index(name))


def call(name: str, *args: ResolvedExpression) -> CallExpression:
    return CallExpression(BUILT_INS_BY_NAME[name], args, BooleanType())


def constant(value: object, type_: LogicalType) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, type_.not_null())


def text(value: str) -> ValueLiteralExpression:
    return constant(value, CharType(max(1, len(value))))


ONE = constant(1, BigIntType())
HALF = constant(0.5, DoubleType())


@pytest.mark.parametrize(
    ("expression", "sql"),
    [
        (call("EQUALS", column("n"), ONE), '("n" = 1)'),
        (call("LESS_THAN", column("n"), constant(-1, BigIntType())), '("n" < (-1))'),
        (call("IS_NOT_DISTINCT_FROM", column("n"), ONE), '("n" IS NOT DISTINCT FROM 1)'),
        (call("EQUALS", column("s"), text("it's \\ ")), "(\"s\" = 'it''s \\ '::text)"),
        (call("GREATER_THAN", column("s"), text("a")), '("s" COLLATE "C" > \'a\'::text)'),
        (call("EQUALS", column("u"), text("a")), '("u"::text COLLATE "C" = \'a\'::text)'),
        (call("EQUALS", column("p"), constant(Decimal("1.5"), DecimalType(2, 1))), "(\"p\"::numeric(10,2) = '1.5'::numeric)"),
        (call("LESS_THAN_OR_EQUAL", column("d"), HALF), "(\"d\" <= '0.5'::float8)"),
        (call("EQUALS", column("day"), constant(date(2020, 1, 2), DateType())), "(\"day\" = '2020-01-02'::date)"),
        (call("EQUALS", column("t"), constant(1_500_000_000, TimestampType(3))), "(\"t\" = '1970-01-01 00:00:01.500000'::timestamp)"),
        (call("EQUALS", column("i"), constant(0, LocalZonedTimestampType(3))), "(\"i\" = '1970-01-01 00:00:00+00'::timestamptz)"),
        (call("AND", call("EQUALS", column("n"), ONE), column("b")), '(("n" = 1) AND "b")'),
        (call("NOT", column("b")), '(NOT "b")'),
        (call("IS_NULL", column("c")), '("c" IS NULL)'),
        (call("EQUALS", column("nc"), text("a")), '("nc" COLLATE "C" = \'a\'::text)'),
        (call("IN", column("nc"), text("a"), text("b")), "(\"nc\" COLLATE \"C\" IN ('a'::text, 'b'::text))"),
        (call("LIKE", column("nc"), text("a%")), '("nc" COLLATE "C" LIKE \'a%\')'),
        (call("NOT_EQUALS", HALF, column("d")), "('0.5'::float8 <> \"d\")"),
        (call("BETWEEN", column("d"), HALF, HALF), "(\"d\" BETWEEN '0.5'::float8 AND '0.5'::float8)"),
        (call("BETWEEN", column("s"), text("a"), column("u")), """("s" COLLATE "C" BETWEEN 'a'::text AND ("u"::text COLLATE "C"))"""),
        (call("NOT_BETWEEN", text("a"), column("s"), column("s")), """('a'::text NOT BETWEEN ("s" COLLATE "C") AND ("s" COLLATE "C"))"""),
        (call("IN", column("d"), HALF), "(\"d\" IN ('0.5'::float8))"),
        (call("LIKE", column("s"), text("a_%")), "(\"s\" LIKE 'a_%')"),
        # Two columns can have different collations.
        (call("EQUALS", column("s"), column("nc")), '("s" COLLATE "C" = "nc" COLLATE "C")'),
        (call("IN", column("s"), text("a"), column("s")), '("s" COLLATE "C" IN (\'a\'::text, "s" COLLATE "C"))'),
    ],
    ids=str,
)
def test_a_predicate_has_the_sql(expression: ResolvedExpression, sql: str) -> None:
    assert condition_sql(expression, TABLE) == sql


@pytest.mark.parametrize(
    "expression",
    [
        call("EQUALS", column("c"), text("a")),  # char(n) is compared without spaces at the end
        call("GREATER_THAN", column("d"), HALF),  # NaN is PostgreSQL's greatest value
        call("LESS_THAN", HALF, column("d")),
        call("EQUALS", column("d"), column("e")),  # NaN equals NaN in PostgreSQL
        call("IS_DISTINCT_FROM", column("d"), column("e")),
        call("BETWEEN", column("d"), HALF, column("e")),
        call("NOT_BETWEEN", HALF, HALF, column("e")),
        call("IN", column("d"), column("e"), HALF),
        call("NOT_IN", HALF, column("e")),
        call("EQUALS", column("s"), text("a\0")),
        call("LIKE", column("s"), text("a\\_")),
        call("EQUALS", column("short"), constant(0, TimestampType(3))),  # stored with more digits
        call("EQUALS", column("t"), constant(1, TimestampType(9))),
        call("EQUALS", column("d"), constant(float("nan"), DoubleType())),
        call("OR", column("b"), call("EQUALS", column("c"), text("a"))),
    ],
    ids=str,
)
def test_a_predicate_that_could_differ_stays_in_the_engine(expression: ResolvedExpression) -> None:
    assert condition_sql(expression, TABLE) is None
