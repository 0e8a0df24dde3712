"""Enforces the lengths of text and bytes that the columns of a sink declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.types import CharacterType, LengthLimit, LogicalType, length_limits, without_lengths
from table_runtime.casts import cast
from table_runtime.casts.nested import children_of_struct, compact
from table_runtime.columns.batches import cast_array
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.steps.pipeline import MapStep


class FitLengths(MapStep):
    """Cuts and pads the values of columns as a CAST to their types does."""

    def __init__(self, schema: pa.Schema, columns: Mapping[int, LogicalType], context: EvaluationContext) -> None:
        super().__init__(schema)
        self._columns = dict(columns)
        self._context = context

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        arrays = list(batch.columns)
        for index, type_ in self._columns.items():
            # The source may have declared the same length and not kept it.
            fitted = cast(arrays[index], without_lengths(type_), type_, self._context)
            arrays[index] = cast_array(fitted, self.schema.field(index).type)
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    @override
    def plan_line(self) -> str:
        return f"FitLengths(columns=[{', '.join(self.schema.field(index).name for index in self._columns)}])"


class CheckLengths(MapStep):
    """Fails if a value in one of the columns has another length than its type declares."""

    def __init__(self, schema: pa.Schema, columns: Mapping[int, LogicalType], where: str) -> None:
        super().__init__(schema)
        self._limits = [(index, limit) for index, type_ in columns.items() for limit in length_limits(type_, schema.field(index).name)]
        self._where = where

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        for index, limit in self._limits:
            length = _shortest_bad_length(batch.column(index), limit)
            if length is not None:
                before, after = limit.violation(self._where)
                raise TableRuntimeException(
                    f"{before}{length}{after}", hint="Cast the value, or set 'table.exec.sink.type-length-enforcer' to 'TRIM_PAD'."
                )
        return batch

    @override
    def plan_line(self) -> str:
        return f"CheckLengths(columns=[{', '.join(limit.path for _, limit in self._limits)}])"


def _shortest_bad_length(values: Any, limit: LengthLimit) -> int | None:
    """Returns the smallest length of the values that do not fit; None if all fit."""
    for step in limit.steps:
        if isinstance(step, int):
            values = children_of_struct(values)[step]
        else:
            values = compact(values)
            values = values.values if step == "element" else values.keys if step == "key" else values.items
    lengths = pc.utf8_length(values) if isinstance(limit.type, CharacterType) else pc.binary_length(values)
    is_bad = pc.not_equal(lengths, limit.length) if limit.is_exact else pc.greater(lengths, limit.length)
    found: int | None = pc.min(pc.filter(lengths, is_bad)).as_py()
    return found
