"""Enforces NOT NULL constraints of columns."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.formats import ROW_KIND_FIELD, retracts
from table_runtime.steps.filter import filter_batch
from table_runtime.steps.pipeline import MapStep


class NotNull(MapStep):
    """Fails if one of the columns has a NULL, or with ``drop`` removes the row. Of changes, rows that retract may have the key alone."""

    def __init__(self, schema: pa.Schema, columns: Sequence[int], where: str, *, drop: bool = False) -> None:
        super().__init__(schema)
        self._columns = tuple(columns)
        self._where = where
        self._drop = drop
        self._has_kinds = schema.names[-1:] == [ROW_KIND_FIELD.name]

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        for index in self._columns:
            is_there = self._is_there(batch, index)
            if is_there is None:
                continue
            if not self._drop:
                raise TableRuntimeException(
                    f"Column '{self.schema.field(index).name}' of {self._where} is declared NOT NULL, but a row has NULL there.",
                    hint="Declare it nullable, or replace the NULLs with COALESCE.",
                )
            batch = filter_batch(batch, is_there)
        return batch

    def _is_there(self, batch: pa.RecordBatch, index: int) -> pa.Array | None:
        """Returns which rows have a value in a column or may lack it; None: all of them."""
        column = batch.column(index)
        if not column.null_count:
            return None
        is_there = pc.is_valid(column)
        if self._has_kinds:
            is_there = pc.or_(is_there, retracts(batch.column(batch.num_columns - 1)))
        return None if pc.all(is_there).as_py() else is_there

    @override
    def plan_line(self) -> str:
        return f"NotNull(columns=[{', '.join(self.schema.field(index).name for index in self._columns)}])"
