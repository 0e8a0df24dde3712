"""A filter and the projection above it in one step, so that both share what they compute."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import empty_batch, make_batch, with_dictionaries
from table_runtime.steps.filter import Filter
from table_runtime.steps.pipeline import MapStep
from table_runtime.steps.project import Project


class FilterProject(MapStep):
    """Computes a projection for the rows that a filter keeps.

    ``compute`` does the work of both: it returns one array per field of the projection's schema, and the number of rows that are left.
    ``pass_dictionaries`` is called with columns that may be dictionary arrays, as ``allow_dictionaries``.
    """

    def __init__(
        self,
        below: Filter,
        above: Project,
        compute: Callable[[pa.RecordBatch], tuple[Sequence[pa.Array], int]],
        pass_dictionaries: Callable[[Collection[int]], Collection[int]],
    ) -> None:
        super().__init__(above.schema)
        self._below = below
        self._above = above
        self._compute = compute
        self._pass_dictionaries = pass_dictionaries
        self._has_dictionaries = False

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if not batch.num_rows:
            return empty_batch(self.schema)
        columns, rows = self._compute(batch)
        return make_batch(columns, with_dictionaries(self.schema, columns) if self._has_dictionaries else self.schema, rows)

    @override
    def allow_dictionaries(self, columns: Collection[int]) -> Collection[int]:
        passed = self._pass_dictionaries(columns)
        self._has_dictionaries = bool(passed)
        return passed

    @override
    def plan_line(self) -> str:
        return self._above.plan_line()

    @override
    def plan_lines(self) -> list[str]:
        return [*self._above.plan_lines(), *self._below.plan_lines()]
