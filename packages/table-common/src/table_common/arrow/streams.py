"""Record batches of any Arrow library in, tables and streams out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from table_common.arrow.record_batch import conform
from table_common.arrow.schema import to_arrow_schema
from table_common.connector import SupportsArrowArray
from table_common.types import RowType

__all__ = ["import_batch", "split_row_kinds", "stream_of_batches", "table_of_batches"]


def import_batch(batch: SupportsArrowArray) -> pa.RecordBatch:
    """Returns the batch as one of pyarrow, without copying its data."""
    return batch if isinstance(batch, pa.RecordBatch) else pa.record_batch(batch)


def split_row_kinds(batch: pa.RecordBatch, width: int) -> tuple[pa.RecordBatch, list[int] | None]:
    """Returns the ``width`` columns of the rows, and the codes of their row kinds, or None if all are insertions."""
    if batch.num_columns == width:
        return batch, None
    return batch.select(list(range(width))), batch.column(width).to_pylist()


def table_of_batches(batches: Iterable[pa.RecordBatch], row_type: RowType) -> pa.Table:
    """Returns all batches as one table in the canonical schema of ``row_type``, with the column of row kinds if the batches have one."""
    collected = list(batches)
    if any(batch.num_columns != len(row_type.fields) for batch in collected):
        return pa.Table.from_batches(collected)
    return pa.Table.from_batches([conform(batch, row_type) for batch in collected], schema=to_arrow_schema(row_type))


def stream_of_batches(batches: Iterable[pa.RecordBatch], row_type: RowType) -> pa.RecordBatchReader:
    """Returns a reader that takes batches as they are asked for."""
    iterator = iter(batches)
    first = next(iterator, None)
    if first is not None and first.num_columns != len(row_type.fields):
        return pa.RecordBatchReader.from_batches(first.schema, _chain(first, iterator))
    rest = _chain(first, iterator) if first is not None else iter(())
    return pa.RecordBatchReader.from_batches(to_arrow_schema(row_type), (conform(batch, row_type) for batch in rest))


def _chain(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest
