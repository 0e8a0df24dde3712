"""Which columns SQLite compares as we do: that depends on their types here and on how they are declared there.

SQLite compares what it keeps. A text '5' is kept as a number in a column declared INTEGER, and numbers stay numbers in one without a declaration: both
are read as text where STRING is declared here, but are equal to other constants there.
"""

from __future__ import annotations

from collections.abc import Mapping

from connector_sqlite.database import quote_name
from table_common.frozen_dataclass import dataclass
from table_common.types import EXACT_INTEGERS, BooleanType, DoubleType, LogicalType, VarCharType

__all__ = ["StoredColumns", "operand_sql"]

_NUMBERS = (*EXACT_INTEGERS, DoubleType, BooleanType)


@dataclass(frozen=True)
class StoredColumns:
    """How SQLite keeps the columns of a table.

    ``declared`` are the types in its CREATE TABLE, by column; ``is_utf8`` says whether it orders text as we do, by code points.
    """

    declared: Mapping[str, str]
    is_utf8: bool = True

    def compares(self, name: str, type_: LogicalType) -> bool:
        """Returns whether values of the column are equal there if they are equal here: whole numbers, DOUBLE, text of any length, booleans."""
        is_text = _keeps_text(self.declared.get(name, ""))
        if isinstance(type_, VarCharType):
            return is_text
        return isinstance(type_, _NUMBERS) and not is_text

    def orders(self, name: str, type_: LogicalType) -> bool:
        """Returns whether the column's values are also in the same order."""
        return self.compares(name, type_) and (self.is_utf8 or not isinstance(type_, VarCharType))

    def identifies(self, name: str, type_: LogicalType) -> bool:
        """Returns whether a value finds the rows that hold it: SQLite keeps it in one way."""
        return self.compares(name, type_) and not isinstance(type_, DoubleType)

    def kept_as(self, name: str, type_: LogicalType) -> str:
        """Returns both types of a column, for messages."""
        declared = self.declared.get(name, "")
        return f"column '{name}' is {type_}" + (
            f", declared as {declared} in SQLite" if declared else ", without a declared type in SQLite"
        )


def operand_sql(name: str, type_: LogicalType, table: str | None = None) -> str:
    """Returns a column as SQL compares it: every number but 0 is TRUE."""
    column = quote_name(name) if table is None else f"{table}.{quote_name(name)}"
    return f"({column} <> 0)" if isinstance(type_, BooleanType) else column


def _keeps_text(declared: str) -> bool:
    """Returns whether a column of the declared type has the affinity TEXT, in which all but bytes is text; see SQLite's rules."""
    upper = declared.upper()
    return "INT" not in upper and any(word in upper for word in ("CHAR", "CLOB", "TEXT"))
