"""The dialect of SQLite: which columns it compares as SQL does, from their type here and their declaration in SQLite.

SQLite compares stored values. A column declared INTEGER stores the text '5' as a number, and a column without a declared type stores numbers as
numbers. A table that declares such a column as STRING reads text, but SQLite would compare numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from connector_sqlite.storage import select_of
from table_common.annotation import override
from table_common.connector.sql import SqlTable, quote_name, quote_text
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import EXACT_INTEGERS, BooleanType, DoubleType, LogicalType, RowField, VarCharType

_NUMBERS = (*EXACT_INTEGERS, DoubleType, BooleanType)
BINARY = " COLLATE BINARY"
"""Follows an operand, because its column may be declared with another collation."""


@dataclass(frozen=True)
class SqliteTable(SqlTable):
    """A table as SQLite stores it: the types in its CREATE TABLE, by column; ``is_utf8`` is true if SQLite orders text by code points, as SQL does."""

    name: str
    columns: Mapping[str, str]
    is_utf8: bool = True

    DATABASE = "SQLite"
    KEYS = "integers, booleans, and text that SQLite stores as text"
    COMPARISONS: ClassVar[Mapping[str, str]] = {**SqlTable.COMPARISONS, "IS_DISTINCT_FROM": "IS NOT", "IS_NOT_DISTINCT_FROM": "IS"}

    @override
    def selected(self, name: str, type_: LogicalType) -> str:
        return select_of(quote_name(name), type_)

    @override
    def operand(self, name: str, type_: LogicalType, *, ordered: bool = False) -> str | None:
        is_text = _keeps_text(self.columns.get(name, ""))
        if isinstance(type_, VarCharType):
            return quote_name(name) if is_text and (self.is_utf8 or not ordered) else None
        return operand_sql(name, type_) if isinstance(type_, _NUMBERS) and not is_text else None

    @override
    def literal(self, literal: ValueLiteralExpression) -> str | None:
        value = literal.value
        if isinstance(value, bool):
            return "1" if value else "0"
        return super().literal(literal) if not isinstance(value, int) or value > -(1 << 63) else None

    @override
    def operands(self, comparison: CallExpression, *, ordered: bool = False) -> list[str] | None:
        operands = super().operands(comparison, ordered=ordered)
        if operands and self.kind_of(comparison.args[0].output_type) == "text":
            operands[0] += BINARY
        return operands

    @override
    def like(self, operand: str, pattern: str, *, negated: bool) -> str:
        """Returns LIKE as GLOB, which is case-sensitive as SQL's LIKE is."""
        if not set(pattern) & {"%", "_"}:
            return f"({operand}{BINARY} {'<>' if negated else '='} {quote_text(pattern)})"
        glob = "".join({"%": "*", "_": "?", "*": "[*]", "?": "[?]", "[": "[[]"}.get(char, char) for char in pattern)
        return f"({operand} {'NOT ' if negated else ''}GLOB {quote_text(glob)})"

    @override
    def group_key(self, name: str, type_: LogicalType, selected: str) -> str | None:
        operand = self.operand(name, type_)
        return operand and operand + BINARY  # its own collation could put different texts into one group

    @override
    def aggregate(self, name: str, argument: FieldReferenceExpression, result: RowField) -> str | None:
        type_ = argument.output_type
        if self.operand(argument.name, type_, ordered=True) is None or (name == "SUM" and not isinstance(type_, EXACT_INTEGERS)):
            return None  # the sum of floating-point numbers depends on their order
        return f"{name}({quote_name(argument.name)}{BINARY if isinstance(type_, VarCharType) else ''})"


def operand_sql(name: str, type_: LogicalType, table: str | None = None) -> str:
    """Returns a column as an operand of a comparison; a BOOLEAN is TRUE for each number but 0."""
    column = quote_name(name) if table is None else f"{table}.{quote_name(name)}"
    return f"({column} <> 0)" if isinstance(type_, BooleanType) else column


def _keeps_text(declared: str) -> bool:
    """Returns whether a declared type has the affinity TEXT, which stores all values but bytes as text; see SQLite's rules of affinity."""
    upper = declared.upper()
    return "INT" not in upper and any(word in upper for word in ("CHAR", "CLOB", "TEXT"))
