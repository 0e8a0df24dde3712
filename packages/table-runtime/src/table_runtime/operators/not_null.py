"""Enforces NOT NULL constraints of columns."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.operators.filter import filter_batch
from table_runtime.operators.pipeline import MapStep

__all__ = ["NotNull"]


class NotNull(MapStep):
    """Fails if one of the columns has a NULL, or with ``drop`` removes the row."""

    def __init__(self, schema: pa.Schema, columns: Sequence[int], where: str, *, drop: bool = False) -> None:
        super().__init__(schema)
        self._columns = tuple(columns)
        self._where = where
        self._drop = drop

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        for index in self._columns:
            column = batch.column(index)
            if not column.null_count:
                continue
            if not self._drop:
                raise TableRuntimeException(
                    f"Column '{self.schema.field(index).name}' of {self._where} is declared NOT NULL, but a row has NULL there.",
                    hint="Declare it nullable, or replace the NULLs with COALESCE.",
                )
            batch = filter_batch(batch, pc.is_valid(column))
        return batch

    @override
    def plan_line(self) -> str:
        return f"NotNull(columns=[{', '.join(self.schema.field(index).name for index in self._columns)}])"
