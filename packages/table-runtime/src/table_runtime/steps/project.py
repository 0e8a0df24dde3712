"""Projection: replaces the columns of each batch by computed ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import make_batch, with_dictionaries
from table_runtime.steps.pipeline import MapStep, Step


class Project(MapStep):
    """Replaces a batch's columns by what ``compute`` returns, one array per field of ``schema``; ``text`` describes them for EXPLAIN.

    ``pass_dictionaries`` is called with columns that may be dictionary arrays, as ``allow_dictionaries``.
    """

    def __init__(
        self,
        schema: pa.Schema,
        compute: Callable[[pa.RecordBatch], Sequence[pa.Array]],
        text: Callable[[], str] = str,
        *,
        needs_order: bool = False,
        pass_dictionaries: Callable[[Collection[int]], Collection[int]] | None = None,
    ) -> None:
        super().__init__(schema, needs_order=needs_order)
        self._compute = compute
        self._text = text
        self._pass_dictionaries = pass_dictionaries
        self._has_dictionaries = False

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        columns = self._compute(batch)
        return make_batch(columns, with_dictionaries(self.schema, columns) if self._has_dictionaries else self.schema, batch.num_rows)

    @override
    def allow_dictionaries(self, columns: Collection[int]) -> Collection[int]:
        passed = self._pass_dictionaries(columns) if self._pass_dictionaries is not None else ()
        self._has_dictionaries = bool(passed)
        return passed

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
