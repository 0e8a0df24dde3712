"""Partitions a stream of rows by the hash of key columns into lists of rows in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.batch.spill.hashing import order_by_part
from table_runtime.columns.batches import BATCH_BYTES, BATCH_ROWS, coalesce_batches, rechunk, take_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.memory.account import PARTITIONS
from table_runtime.run.parallel import close_iterator
from table_runtime.run.spill_files.file import SpillFile, StoredBatch, StoredRows

KeyColumns = Callable[[pa.RecordBatch], Sequence[pa.Array]]


class PartitionedFile:
    """Batches in a file by partition; a partition keeps the order of its rows."""

    def __init__(self, file: SpillFile, schema: pa.Schema, level: int) -> None:
        self._file = file
        self._schema = schema
        self._level = level
        self._stored: list[list[StoredBatch]] = [[] for _ in range(PARTITIONS)]

    def add(self, batch: pa.RecordBatch, keys: Sequence[pa.Array], check: Callable[[], None]) -> None:
        """Writes each row to the partition of its key; ``check`` is called between the writes."""
        order, edges = order_by_part(keys, PARTITIONS, self._level)
        ordered = take_batch(batch, order)
        for number, stored in enumerate(self._stored):
            if edges[number + 1] > edges[number]:
                check()
                stored.append(self._file.append(ordered.slice(edges[number], edges[number + 1] - edges[number])))

    def partitions(self) -> list[StoredRows]:
        """Returns the rows of each partition."""
        return [StoredRows(self._file, self._schema, stored) for stored in self._stored]


def partition_rows(
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    keys: KeyColumns,
    file: SpillFile,
    level: int,
    context: ExecutionContext,
    keep: Callable[[Sequence[pa.Array]], pa.Array | None] | None = None,
) -> list[StoredRows]:
    """Writes the rows of a stream to the partitions of their keys.

    ``keep`` returns a mask of the rows to write, None for all.

    Raises:
        JobCancelledException: the job was cancelled.
        TableRuntimeException: the file cannot be written.
    """
    target = PartitionedFile(file, schema, level)
    runs = coalesce_batches(batches, BATCH_ROWS, context.scaled)
    try:
        for run in runs:
            context.check()
            for batch in _pieces(rechunk(run, schema)):
                columns = keys(batch)
                mask = keep(columns) if keep is not None else None
                if mask is not None and mask.true_count < batch.num_rows:
                    rows = pc.indices_nonzero(mask)
                    batch, columns = take_batch(batch, rows), [pc.take(column, rows) for column in columns]
                if batch.num_rows:
                    target.add(batch, columns, context.check)
    finally:
        close_iterator(runs)
        close_iterator(batches)
    return target.partitions()


def _pieces(batch: pa.RecordBatch) -> Iterable[pa.RecordBatch]:
    """Yields the rows in batches that are copied without much memory and delay."""
    size = max(1, batch.nbytes)
    rows = max(1, min(2 * BATCH_ROWS, batch.num_rows * (BATCH_BYTES // 4) // size))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)
