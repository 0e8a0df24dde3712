"""Translates predicates to SQLite's SQL, but only those that SQLite evaluates with the same result for all rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from connector_sqlite.comparing import StoredColumns, operand_sql
from connector_sqlite.database import quote_name
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.types import (
    EXACT_INTEGERS,
    BooleanType,
    DoubleType,
    LogicalType,
    VarCharType,
    holds_integers_of,
)
from table_common.types import CharType as _CharType

_COMPARISONS = {
    "EQUALS": "=",
    "NOT_EQUALS": "<>",
    "LESS_THAN": "<",
    "LESS_THAN_OR_EQUAL": "<=",
    "GREATER_THAN": ">",
    "GREATER_THAN_OR_EQUAL": ">=",
    "IS_DISTINCT_FROM": "IS NOT",
    "IS_NOT_DISTINCT_FROM": "IS",
}
_ORDERED = ("LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL")
_TESTS = {"IS_TRUE": "IS TRUE", "IS_FALSE": "IS FALSE", "IS_NOT_TRUE": "IS NOT TRUE", "IS_NOT_FALSE": "IS NOT FALSE"}


def condition_sql(expression: ResolvedExpression, columns: StoredColumns) -> str | None:
    """Returns a predicate as SQLite's SQL, or None if its result could differ there."""
    if not isinstance(expression, CallExpression):
        return _value(expression, columns) if isinstance(expression.output_type, BooleanType) else None
    name, args = expression.function.name, expression.args
    match name:
        case "AND" | "OR":
            parts = [condition_sql(part, columns) for part in args]
            return f"({f' {name} '.join(filter(None, parts))})" if all(parts) else None
        case "NOT" | "IS_TRUE" | "IS_FALSE" | "IS_NOT_TRUE" | "IS_NOT_FALSE":
            inner = condition_sql(args[0], columns)
            if inner is None:
                return None
            return f"(NOT {inner})" if name == "NOT" else f"({inner} {_TESTS[name]})"
        case "IS_NULL" | "IS_NOT_NULL":
            # Valid for any column, also one whose values SQLite compares differently.
            column = args[0]
            if not isinstance(column, FieldReferenceExpression):
                return None
            return f"({quote_name(column.name)} {'IS NULL' if name == 'IS_NULL' else 'IS NOT NULL'})"
        case "LIKE" | "NOT_LIKE":
            return _like(args, columns, negated=name == "NOT_LIKE")
        case "BETWEEN" | "NOT_BETWEEN":
            values = _values(args, columns, ordered=True)
            return f"({values[0]} {name.replace('_', ' ')} {values[1]} AND {values[2]})" if values else None
        case "IN" | "NOT_IN":
            values = _values(args, columns)
            return f"({values[0]} {name.replace('_', ' ')} ({', '.join(values[1:])}))" if values else None
        case _ if name in _COMPARISONS:
            values = _values(args, columns, ordered=name in _ORDERED)
            return f"({values[0]} {_COMPARISONS[name]} {values[1]})" if values else None
        case _:
            return None


def _values(args: Sequence[ResolvedExpression], columns: StoredColumns, *, ordered: bool = False) -> list[str] | None:
    """Returns the operands of a comparison; None unless all are of one kind that SQLite compares as SQL does."""
    texts = [_value(arg, columns, ordered=ordered) for arg in args]
    kinds = {_kind(arg.output_type) for arg in args}
    if None in texts or None in kinds or len(kinds) > 1:
        return None
    operands = [text for text in texts if text is not None]
    if kinds == {"text"}:
        # A column may be declared with another collation.
        operands[0] += " COLLATE BINARY"
    return operands


def _kind(type_: LogicalType) -> str | None:
    if isinstance(type_, EXACT_INTEGERS):
        return "integer"
    if isinstance(type_, DoubleType):
        return "double"
    if isinstance(type_, BooleanType):
        return "boolean"
    return "text" if isinstance(type_, (VarCharType, _CharType)) else None


def _value(expression: ResolvedExpression, columns: StoredColumns, *, ordered: bool = False) -> str | None:
    if isinstance(expression, FieldReferenceExpression):
        name, type_ = expression.name, expression.output_type
        is_alike = columns.orders(name, type_) if ordered else columns.compares(name, type_)
        return operand_sql(name, type_) if is_alike else None
    if isinstance(expression, ValueLiteralExpression):
        return literal_sql(expression)
    if isinstance(expression, CallExpression) and expression.function.name == "CAST" and len(expression.args) == 2:
        # A cast that keeps the value: to a wider integer, or to longer text.
        source, target = expression.args[0].output_type, expression.output_type
        if holds_integers_of(target, source):
            return _value(expression.args[0], columns, ordered=ordered)
        if isinstance(source, (VarCharType, _CharType)) and isinstance(target, VarCharType) and target.length >= source.length:
            return _value(expression.args[0], columns, ordered=ordered)
    return None


def literal_sql(literal: ValueLiteralExpression) -> str | None:
    """Returns a constant as SQLite's SQL, or None if SQLite has no literal for it."""
    value = literal.value
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int) and isinstance(literal.output_type, EXACT_INTEGERS):
        return str(value) if value > -(1 << 63) else None
    if isinstance(value, float) and isinstance(literal.output_type, DoubleType) and math.isfinite(value):
        return repr(value)
    if isinstance(value, str) and isinstance(literal.output_type, (VarCharType, _CharType)) and "\0" not in value:
        return "'" + value.replace("'", "''") + "'"
    return None


def _like(args: Sequence[ResolvedExpression], columns: StoredColumns, *, negated: bool) -> str | None:
    """Returns LIKE as GLOB, which is case-sensitive as SQL's LIKE is; None for patterns with an escape character."""
    if len(args) != 2 or not isinstance(args[1], ValueLiteralExpression) or not isinstance(args[1].value, str):
        return None
    pattern = args[1].value
    column = _value(args[0], columns)
    if column is None or not isinstance(args[0].output_type, VarCharType) or "\\" in pattern or "\0" in pattern:
        return None
    if not set(pattern) & {"%", "_"}:
        return f"({column} COLLATE BINARY {'<>' if negated else '='} {literal_sql(args[1])})"
    glob = "".join({"%": "*", "_": "?", "*": "[*]", "?": "[?]", "[": "[[]", "'": "''"}.get(char, char) for char in pattern)
    return f"({column} {'NOT ' if negated else ''}GLOB '{glob}')"
