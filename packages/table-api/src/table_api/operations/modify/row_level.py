"""DELETE and UPDATE as written; planning selects one of the ways that the sink supports."""

from __future__ import annotations

from table_api.operations.operation import Operation, QueryOperation
from table_api.operations.query.source import ContextResolvedTable
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DeleteOperation(Operation):
    """``DELETE FROM table [WHERE condition]``.

    ``matching`` are the rows that go, ``remaining`` those that stay, both with all columns of the table.
    """

    table: ContextResolvedTable
    matching: QueryOperation
    remaining: QueryOperation


@dataclass(frozen=True, slots=True)
class UpdateOperation(Operation):
    """``UPDATE table SET column = value, … [WHERE condition]``.

    ``columns`` are those that SET names. ``matching`` are the rows that change: all columns of the table as they are, then one new value
    for each of ``columns``, cast to its type. ``all_rows`` are all rows, with a BOOLEAN column behind: whether the row changes; the new
    values count only where it does.
    """

    table: ContextResolvedTable
    columns: tuple[str, ...]
    matching: QueryOperation
    all_rows: QueryOperation
