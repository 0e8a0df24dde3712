"""Spilled rows as the input of an operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import TypeVar

import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.spill_files.file import StoredRows

_O = TypeVar("_O", bound=Operator)


class SpilledRows(Operator):
    """Yields rows of a file."""

    def __init__(self, stored: StoredRows) -> None:
        super().__init__(stored.schema)
        self.stored = stored

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        for batch in self.stored.read():
            context.check()
            yield batch


class StreamedRows(Operator):
    """Yields the batches of an iterator, once."""

    def __init__(self, schema: pa.Schema, rows: Iterator[pa.RecordBatch]) -> None:
        super().__init__(schema)
        self._rows = rows

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        return self._rows


def over_inputs(operator: _O, inputs: Sequence[Operator], level: int) -> _O:
    """Returns the operator over other inputs, partitions of ``level``."""
    result = copy(operator)
    result.inputs = tuple(inputs)
    result.origin = operator.origin
    result.spill_level = level
    return result
