"""The first rows of a result, as far as a time limit allows."""

from __future__ import annotations

from table_api.table_result.html import Preview
from table_api.table_result.result import TableResult
from table_common.data import Row, RowKind
from table_common.exceptions import JobTimeoutException


def preview_of(result: TableResult, count: int) -> Preview:
    """Reads a result until its end or its time limit, and returns its first ``count`` rows after all changes that were read."""
    rows: list[Row] = []
    is_timed_out = False
    try:
        with result.collect() as changes:
            for row in changes:
                _apply(rows, row)
    except JobTimeoutException:
        is_timed_out = True
    return Preview(result.get_resolved_schema(), rows[:count], len(rows) > count, is_timed_out)


def _apply(rows: list[Row], change: Row) -> None:
    if change.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER):
        rows.append(change)
        return
    for place in range(len(rows) - 1, -1, -1):
        if tuple(rows[place]) == tuple(change):
            del rows[place]
            return
