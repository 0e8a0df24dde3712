"""Refuses rows whose event time is NULL, in plans that need no watermark; others check the time where they assign the watermark."""

from __future__ import annotations

import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_runtime.steps.pipeline import MapStep


class TimeCheck(MapStep):
    """Forwards the rows; the column at ``rowtime`` is the event time of ``table``.

    Raises:
        TableRuntimeException: the time of a row is NULL.
    """

    def __init__(self, schema: pa.Schema, rowtime: int, table: str, text: str = "") -> None:
        super().__init__(schema)
        self._rowtime = rowtime
        self._table = table
        self._text = text

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if batch.column(self._rowtime).null_count:
            raise null_time(self.schema.field(self._rowtime).name, self._table)
        return batch

    @override
    def plan_line(self) -> str:
        return f"TimeCheck({self._text})"


def null_time(column: str, table: str, row: int | None = None) -> TableRuntimeException:
    """Returns the error for a time attribute that is NULL, in the given row of the table, counted from 1, if it is known."""
    of_table = f" of table {table}" if table else ""  # rows of the program have no name
    return TableRuntimeException(
        f"The time attribute '{column}'{of_table} is NULL in {'a row' if row is None else f'row {row}'}, but every row needs an event time.",
        hint="Remove such rows from the source, or declare a computed column that gives them a time (x AS COALESCE(…)), and WATERMARK FOR x. WHERE does not help: the time is read before.",
    )
