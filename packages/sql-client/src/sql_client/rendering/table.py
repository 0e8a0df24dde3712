"""Results of changelogs as the final table, without deleted and replaced rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from sql_client.rendering.display import Display
from sql_client.rendering.tableau import print_rows, render_tableau
from table_api import TableResult
from table_common.data import Row, RowKind
from table_common.frozen_dataclass import replace


def render_table(result: TableResult, display: Display, output: TextIO) -> None:
    """Writes the final rows, after the result has ended. An unbounded query has none: its changes are written as they come."""
    style = result.style
    if not style.row_kinds or result.is_unbounded:
        render_tableau(result, display, output)
        return
    with result.collect() as rows:
        remaining = remaining_rows(rows)
    print_rows(result, iter(remaining), replace(style, row_kinds=False, by_type=False), display, output)


def remaining_rows(changes: Iterable[Row]) -> list[Row]:
    """Returns the rows that remain after all changes, in order of insertion, including duplicates."""
    rows: dict[int, Row] = {}
    numbers_of: dict[str, list[int]] = {}  # by the row's text, because values such as arrays cannot be keys
    for number, row in enumerate(changes):
        numbers = numbers_of.setdefault(repr(list(row)), [])
        if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER):
            rows[number] = row
            numbers.append(number)
        elif numbers:
            del rows[numbers.pop()]
    return list(rows.values())
