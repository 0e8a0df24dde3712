"""Decides which columns SQLite compares as SQL does, from their type here and their declaration in SQLite.

SQLite compares stored values. A column declared INTEGER stores the text '5' as a number, and a column without a declared type stores numbers as
numbers. A table that declares such a column as STRING reads text, but SQLite would compare numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

from connector_sqlite.database import quote_name
from table_common.frozen_dataclass import dataclass
from table_common.types import EXACT_INTEGERS, BooleanType, DoubleType, LogicalType, VarCharType

_NUMBERS = (*EXACT_INTEGERS, DoubleType, BooleanType)


@dataclass(frozen=True)
class StoredColumns:
    """The columns of a table as SQLite stores them.

    ``declared`` are the types in SQLite's CREATE TABLE, by column; ``is_utf8`` is true if SQLite orders text by code points, as SQL does.
    """

    declared: Mapping[str, str]
    is_utf8: bool = True

    def compares(self, name: str, type_: LogicalType) -> bool:
        """Returns whether SQLite's equality is that of the type: for integers, DOUBLE, STRING and BOOLEAN in columns that store them so."""
        is_text = _keeps_text(self.declared.get(name, ""))
        if isinstance(type_, VarCharType):
            return is_text
        return isinstance(type_, _NUMBERS) and not is_text

    def orders(self, name: str, type_: LogicalType) -> bool:
        """Returns whether SQLite's order is also that of the type."""
        return self.compares(name, type_) and (self.is_utf8 or not isinstance(type_, VarCharType))

    def identifies(self, name: str, type_: LogicalType) -> bool:
        """Returns whether a value can be a lookup key: SQLite stores it in exactly one form."""
        return self.compares(name, type_) and not isinstance(type_, DoubleType)

    def kept_as(self, name: str, type_: LogicalType) -> str:
        """Returns the type of a column here and in SQLite, for messages."""
        declared = self.declared.get(name, "")
        return f"column '{name}' is {type_}" + (
            f", declared as {declared} in SQLite" if declared else ", without a declared type in SQLite"
        )


def operand_sql(name: str, type_: LogicalType, table: str | None = None) -> str:
    """Returns a column as an operand of a comparison; a BOOLEAN is TRUE for each number but 0."""
    column = quote_name(name) if table is None else f"{table}.{quote_name(name)}"
    return f"({column} <> 0)" if isinstance(type_, BooleanType) else column


def _keeps_text(declared: str) -> bool:
    """Returns whether a declared type has the affinity TEXT, which stores all values but bytes as text; see SQLite's rules of affinity."""
    upper = declared.upper()
    return "INT" not in upper and any(word in upper for word in ("CHAR", "CLOB", "TEXT"))
