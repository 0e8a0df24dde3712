"""Translates predicates to PostgreSQL's SQL, but only those that PostgreSQL evaluates with the same result for all rows.

Constants are written as quoted literals with their types. COPY, through which scans stream, takes no parameters.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from decimal import Decimal

from connector_jdbc.database import quote_literal, quote_name
from connector_jdbc.postgres_table import PostgresColumn, PostgresTable
from connector_jdbc.postgres_types import INTEGERS, select_sql
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.types import (
    EXACT_INTEGERS,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    holds_integers_of,
)

_COMPARISONS = {
    "EQUALS": "=",
    "NOT_EQUALS": "<>",
    "LESS_THAN": "<",
    "LESS_THAN_OR_EQUAL": "<=",
    "GREATER_THAN": ">",
    "GREATER_THAN_OR_EQUAL": ">=",
    "IS_DISTINCT_FROM": "IS DISTINCT FROM",
    "IS_NOT_DISTINCT_FROM": "IS NOT DISTINCT FROM",
}
_ORDERED = ("LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL")
_TESTS = {"IS_TRUE": "IS TRUE", "IS_FALSE": "IS FALSE", "IS_NOT_TRUE": "IS NOT TRUE", "IS_NOT_FALSE": "IS NOT FALSE"}
_BY_CODE_POINTS = ' COLLATE "C"'
_MICROSECONDS = 1000
"""The nanoseconds of a microsecond, PostgreSQL's precision."""


def condition_sql(expression: ResolvedExpression, table: PostgresTable) -> str | None:
    """Returns a predicate as PostgreSQL's SQL, or None if its result could differ there."""
    if not isinstance(expression, CallExpression):
        return _value(expression, table) if isinstance(expression.output_type, BooleanType) else None
    name, args = expression.function.name, expression.args
    match name:
        case "AND" | "OR":
            parts = [condition_sql(part, table) for part in args]
            return f"({f' {name} '.join(filter(None, parts))})" if all(parts) else None
        case "NOT" | "IS_TRUE" | "IS_FALSE" | "IS_NOT_TRUE" | "IS_NOT_FALSE":
            inner = condition_sql(args[0], table)
            if inner is None:
                return None
            return f"(NOT {inner})" if name == "NOT" else f"({inner} {_TESTS[name]})"
        case "IS_NULL" | "IS_NOT_NULL":
            column = args[0]
            if not isinstance(column, FieldReferenceExpression) or column.name not in table.columns:
                return None
            return f"({quote_name(column.name)} {'IS NULL' if name == 'IS_NULL' else 'IS NOT NULL'})"
        case "LIKE" | "NOT_LIKE":
            return _like(args, table, negated=name == "NOT_LIKE")
        case "BETWEEN" | "NOT_BETWEEN":
            if _selects_nan(name, args):
                return None
            values = _values(args, table, ordered=True)
            if values is None:
                return None
            # PostgreSQL's grammar has no COLLATE without parentheses in a bound.
            low, high = (f"({value})" if value.endswith(_BY_CODE_POINTS) else value for value in values[1:])
            return f"({values[0]} {name.replace('_', ' ')} {low} AND {high})"
        case "IN" | "NOT_IN":
            if _selects_nan(name, args):
                return None
            values = _values(args, table)
            return f"({values[0]} {name.replace('_', ' ')} ({', '.join(values[1:])}))" if values else None
        case _ if name in _COMPARISONS:
            if _selects_nan(name, args):
                return None
            values = _values(args, table, ordered=name in _ORDERED)
            return f"({values[0]} {_COMPARISONS[name]} {values[1]})" if values else None
        case _:
            return None


def kind_of(type_: LogicalType) -> str | None:
    """Returns the kind of values that PostgreSQL compares with each other as SQL does, None for types that it compares in another way."""
    if isinstance(type_, (*EXACT_INTEGERS, DecimalType)):
        return "number"
    kinds: tuple[tuple[type, str], ...] = (
        (DoubleType, "double"),
        (BooleanType, "boolean"),
        (CharacterType, "text"),
        (DateType, "date"),
        (TimestampType, "timestamp"),
        (LocalZonedTimestampType, "instant"),
    )
    return next((kind for types, kind in kinds if isinstance(type_, types)), None)


def operand_sql(column: PostgresColumn, type_: LogicalType, table: PostgresTable, *, ordered: bool = False) -> str | None:
    """Returns a column as an operand of a comparison, None if PostgreSQL compares its values in another way."""
    kind = kind_of(type_)
    selected = select_sql(column, type_)
    if kind is None or selected is None or column.is_array:
        return None
    name = quote_name(column.name)
    if kind == "text":
        if column.type_name in ("bpchar", "citext") or (ordered and not table.is_utf8):
            return None  # compared without spaces at the end, or without case
        compares_bytes = column.is_deterministic and column.type_name in ("text", "varchar")
        return selected if compares_bytes and not ordered else f"{selected}{_BY_CODE_POINTS}"
    if kind == "double":
        return name if column.type_name == "float8" else None
    if kind in ("timestamp", "instant"):
        assert isinstance(type_, (TimestampType, LocalZonedTimestampType))
        return name if type_.precision >= 6 or 0 <= column.modifier <= type_.precision else None
    if isinstance(type_, DecimalType):
        return name if column.type_name in INTEGERS or column.digits == (type_.precision, type_.scale) else selected
    return name


def _selects_nan(name: str, args: Sequence[ResolvedExpression]) -> bool:
    """Returns whether PostgreSQL could compare a NaN in another way: there it equals itself and is greater than all numbers."""
    if not isinstance(args[0].output_type, DoubleType):
        return False
    if sum(isinstance(arg, FieldReferenceExpression) for arg in args) != 1:
        return True  # NaN could meet NaN
    is_left = isinstance(args[0], FieldReferenceExpression)
    if name in _ORDERED:
        return ("GREATER" if is_left else "LESS") in name
    return not is_left and name not in _COMPARISONS


def _values(args: Sequence[ResolvedExpression], table: PostgresTable, *, ordered: bool = False) -> list[str] | None:
    """Returns the operands of a comparison; None unless all are of one kind that PostgreSQL compares as SQL does."""
    kinds = {kind_of(arg.output_type) for arg in args}
    if None in kinds or len(kinds) > 1:
        return None
    # Two columns may have different collations, between which PostgreSQL does not choose.
    has_collations = sum(not isinstance(arg, ValueLiteralExpression) for arg in args) > 1
    texts = [_value(arg, table, ordered=ordered or has_collations) for arg in args]
    return [text for text in texts if text is not None] if None not in texts else None


def _value(expression: ResolvedExpression, table: PostgresTable, *, ordered: bool = False) -> str | None:
    if isinstance(expression, FieldReferenceExpression):
        column = table.columns.get(expression.name)
        return operand_sql(column, expression.output_type, table, ordered=ordered) if column is not None else None
    if isinstance(expression, ValueLiteralExpression):
        return literal_sql(expression)
    if isinstance(expression, CallExpression) and expression.function.name == "CAST" and len(expression.args) == 2:
        # A cast that keeps the value: to a wider number, or to longer text.
        source, target = expression.args[0].output_type, expression.output_type
        if holds_integers_of(target, source) and not isinstance(target, DoubleType):
            return _value(expression.args[0], table, ordered=ordered)
        if isinstance(source, CharacterType) and isinstance(target, CharacterType) and target.length >= source.length:
            return _value(expression.args[0], table, ordered=ordered) if type(target).__name__ == "VarCharType" else None
    return None


def literal_sql(literal: ValueLiteralExpression) -> str | None:
    """Returns a constant as a literal of PostgreSQL with its type, or None if it has none."""
    value, type_ = literal.value, literal.output_type
    casts = {
        "number": "numeric",
        "double": "float8",
        "boolean": "bool",
        "text": "text",
        "date": "date",
        "timestamp": "timestamp",
        "instant": "timestamptz",
    }
    kind = kind_of(type_)
    if kind is None:
        return None
    if value is None:
        return f"NULL::{casts[kind]}"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int) and isinstance(type_, EXACT_INTEGERS):
        return f"({value})" if value < 0 else str(value)
    if isinstance(value, (int, Decimal)) and kind == "number":
        return f"{quote_literal(f'{Decimal(value):f}')}::numeric"
    if isinstance(value, float) and kind == "double" and math.isfinite(value):
        return f"{quote_literal(repr(value))}::float8"
    if isinstance(value, str) and kind == "text" and "\0" not in value:
        return f"{quote_literal(value)}::text"
    if isinstance(value, datetime.date) and kind == "date":
        return f"{quote_literal(value.isoformat())}::date"
    if isinstance(value, int) and kind in ("timestamp", "instant") and value % _MICROSECONDS == 0:
        seconds, microseconds = divmod(value // _MICROSECONDS, 1_000_000)
        epoch = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds, microseconds=microseconds)
        return f"{quote_literal(epoch.isoformat(' ') + ('+00' if kind == 'instant' else ''))}::{casts[kind]}"
    return None


def _like(args: Sequence[ResolvedExpression], table: PostgresTable, *, negated: bool) -> str | None:
    """Returns LIKE with the same wildcards; None for patterns with a backslash, which escapes in PostgreSQL only."""
    if len(args) != 2 or not isinstance(args[1], ValueLiteralExpression) or not isinstance(args[1].value, str):
        return None
    column = _value(args[0], table)
    if column is None or not isinstance(args[0].output_type, CharacterType) or "\\" in args[1].value or "\0" in args[1].value:
        return None
    return f"({column} {'NOT ' if negated else ''}LIKE {quote_literal(args[1].value)})"
