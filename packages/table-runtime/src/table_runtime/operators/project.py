"""Projection: replaces the columns of each batch by computed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.batches import make_batch
from table_runtime.operators.pipeline import MapStep, Step

__all__ = ["Project", "ProjectInSlices"]


class Project(MapStep):
    """Replaces a batch's columns by what ``compute`` returns, one array per field of ``schema``; ``text`` describes them for EXPLAIN."""

    def __init__(
        self,
        schema: pa.Schema,
        compute: Callable[[pa.RecordBatch], Sequence[pa.Array]],
        text: Callable[[], str] = str,
        *,
        needs_order: bool = False,
    ) -> None:
        super().__init__(schema, needs_order=needs_order)
        self._compute = compute
        self._text = text

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return make_batch(self._compute(batch), self.schema, batch.num_rows)

    @override
    def plan_line(self) -> str:
        return f"Project(select=[{self._text()}])"


class ProjectInSlices(Step):
    """A projection with large values: ``compute`` lazily yields slices of a batch with their computed columns."""

    def __init__(
        self,
        schema: pa.Schema,
        compute: Callable[[pa.RecordBatch], Iterable[tuple[pa.RecordBatch, Sequence[pa.Array]]]],
        text: Callable[[], str] = str,
        *,
        needs_order: bool = False,
    ) -> None:
        super().__init__(schema, needs_order=needs_order)
        self._compute = compute
        self._text = text

    @override
    def apply(self, batch: pa.RecordBatch, check: Callable[[], None]) -> Iterator[pa.RecordBatch]:
        for rows, columns in self._compute(batch):
            check()
            yield make_batch(columns, self.schema, rows.num_rows)

    @override
    def plan_line(self) -> str:
        return f"Project(select=[{self._text()}])"
