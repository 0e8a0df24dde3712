"""Finds the staged value that its column would round: PostgreSQL's assignments drop digits without an error."""

from __future__ import annotations

from collections.abc import Sequence

from connector_jdbc.database import Session
from connector_jdbc.postgres_column import PostgresColumn
from connector_jdbc.postgres_table import PostgresTable
from connector_jdbc.postgres_types import INTEGERS, staging_type
from table_common.connector.sql import quote_name
from table_common.exceptions import TableRuntimeException
from table_common.types import ArrayType, DecimalType, DoubleType, LocalZonedTimestampType, LogicalType, RowType, TimestampType, TimeType

_MOST_CHARACTERS = 100


def require_exact(session: Session, table: PostgresTable, row_type: RowType, stagings: Sequence[str], number: str) -> None:
    """Raises a ``TableRuntimeException`` if a staged value has more digits than its column; only columns with fewer digits than declared are looked at.

    Args:
        stagings: the quoted names of the staging tables.
        number: the column of the staging tables that numbers the rows of a task, from 0.
    """
    for field in row_type.fields:
        column = table.columns[field.name]
        if not _may_round(column, field.type):
            continue
        name = quote_name(field.name)
        for staging in stagings:
            found = session.rows(
                f"SELECT {quote_name(number)} + 1, left({name}::text, {_MOST_CHARACTERS}) FROM {staging} "
                f"WHERE {name} IS DISTINCT FROM {name}::{column.shown}::{staging_type(field.type)} ORDER BY {quote_name(number)} LIMIT 1"
            )
            if found:
                row, value = found[0]
                raise TableRuntimeException(
                    f"Column '{field.name}' of PostgreSQL's table '{table.shown}' is {column.shown} and would round {value}, "
                    f"in row {row} of those that a task wrote.",
                    hint=f"the table is declared with {field.type} for it: CAST or ROUND gives the digits that the column has",
                )


def _may_round(column: PostgresColumn, type_: LogicalType) -> bool:
    """Returns whether a declared type has values with more digits than a column.

    Floating-point numbers are approximations, so ``numeric`` may round them, as an assignment in SQL does; only integers may not.
    """
    element = type_.element_type if isinstance(type_, ArrayType) else type_
    if isinstance(element, DoubleType):
        return column.type_name in INTEGERS
    if isinstance(element, DecimalType):
        scale = 0 if column.type_name in INTEGERS else column.digits[1] if column.digits is not None else element.scale
        return scale < element.scale
    if isinstance(element, (TimeType, TimestampType, LocalZonedTimestampType)):
        return 0 <= column.modifier < min(element.precision, 6)
    return False
