"""The partial states of an aggregation in a file, partitioned by key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_runtime.batch.spill.partitions import PartitionedFile
from table_runtime.columns.batches import BATCH_ROWS
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.spill_files.file import StoredRows


class SpilledStates:
    """Writes states with encoded keys, and reads those of a partition in the order in which they were added."""

    def __init__(self, context: ExecutionContext, operator: Operator, level: int) -> None:
        self._context = context
        self._level = level
        self._file = context.spill_file(operator)
        self._target: PartitionedFile | None = None
        self._partitions: list[StoredRows] = []
        self._keys = 0
        self._widths: list[int] = []

    def add(self, keys: Sequence[pa.Array], states: Sequence[Sequence[pa.Array]], groups: int) -> None:
        """Writes the states of some groups: their keys, and the columns of each accumulator.

        Raises:
            TableRuntimeException: the file cannot be written.
        """
        columns = [*keys, *(column for one in states for column in one)]
        schema = pa.schema([pa.field(f"c{index}", column.type) for index, column in enumerate(columns)])
        if self._target is None:
            self._keys = len(keys)
            self._widths = [len(one) for one in states]
            self._target = PartitionedFile(self._file, schema, self._level)
        batch = pa.RecordBatch.from_arrays(columns, schema=schema)
        for start in range(0, groups, BATCH_ROWS):
            part = batch.slice(start, BATCH_ROWS)
            self._target.add(part, part.columns[: self._keys], self._context.check)

    def read(self, partition: int) -> Iterator[tuple[list[pa.Array], list[list[pa.Array]], int]]:
        """Yields the states of a partition: keys, columns and the number of groups."""
        if self._target is None:
            return
        for batch in self._target.partitions()[partition].read():
            keys, rest = batch.columns[: self._keys], batch.columns[self._keys :]
            columns = []
            for width in self._widths:
                columns.append(rest[:width])
                rest = rest[width:]
            yield keys, columns, batch.num_rows

    def close(self) -> None:
        """Removes the file."""
        self._file.close()
