"""Computes the columns of each batch anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.batches import make_batch
from table_runtime.operators.pipeline import MapStep

__all__ = ["Project"]


class Project(MapStep):
    """Replaces a batch's columns by what ``compute`` returns, one array per field of ``schema``."""

    def __init__(
        self, schema: pa.Schema, compute: Callable[[pa.RecordBatch], Sequence[pa.Array]], text: str = "", *, needs_order: bool = False
    ) -> None:
        super().__init__(schema, needs_order=needs_order)
        self._compute = compute
        self._text = text

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return make_batch(self._compute(batch), self.schema, batch.num_rows)

    @override
    def plan_line(self) -> str:
        return f"Project(select=[{self._text}])"
