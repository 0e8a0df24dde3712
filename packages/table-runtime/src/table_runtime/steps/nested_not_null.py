"""Enforces NOT NULL constraints inside of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.types import RequiredPart
from table_runtime.casts.nested import children_of_struct, compact
from table_runtime.formats import ROW_KIND_FIELD, retracts
from table_runtime.steps.filter import filter_batch
from table_runtime.steps.pipeline import MapStep


class NestedNotNull(MapStep):
    """Fails if a part of a column that is NOT NULL is NULL, or with ``drop`` removes the row. Rows that retract are not checked."""

    def __init__(self, schema: pa.Schema, parts: Sequence[tuple[int, RequiredPart]], where: str, *, drop: bool = False) -> None:
        super().__init__(schema)
        self._parts = tuple(parts)
        self._where = where
        self._drop = drop
        self._has_kinds = schema.names[-1:] == [ROW_KIND_FIELD.name]

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        for index, part in self._parts:
            is_missing = _is_missing(batch.column(index), part.steps)
            if self._has_kinds:
                is_missing = pc.and_not(is_missing, retracts(batch.column(batch.num_columns - 1)))
            if not pc.any(is_missing, min_count=0).as_py():
                continue
            if not self._drop:
                raise TableRuntimeException(
                    part.violation(self._where),
                    hint="Declare it nullable, or set 'table.exec.sink.not-null-enforcer' to 'DROP' to leave out such rows.",
                )
            batch = filter_batch(batch, pc.invert(is_missing))
        return batch

    @override
    def plan_line(self) -> str:
        return f"NestedNotNull(parts=[{', '.join(part.path for _, part in self._parts)}])"


def _is_missing(values: Any, steps: Sequence[int | str]) -> Any:
    """Returns for each value whether the part after the steps is NULL; one inside of a NULL is not missing."""
    if not steps:
        return pc.is_null(values)
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        return pc.and_(pc.is_valid(values), _is_missing(children_of_struct(values)[step], rest))
    values = compact(values)
    items = values.values if step == "element" else values.keys if step == "key" else values.items
    counts = pc.cumulative_sum(pc.cast(_is_missing(items, rest), pa.int64()))
    before = pa.concat_arrays([pa.array([0], pa.int64()), counts])
    ends = pc.take(before, values.offsets)
    return pc.not_equal(ends[1:], ends[:-1])
