"""Imports record batches of any Arrow library, and exports tables and streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from table_common.arrow.record_batch import conform
from table_common.arrow.schema import to_arrow_schema
from table_common.connector import RowKind, SupportsArrowArray
from table_common.exceptions import TableException
from table_common.types import RowType

_HINT = (
    "`read` yields record batches (`yield batch`); a table is given by `yield from table.to_batches()`, Python rows by `from_python_rows`"
)


def import_batch(batch: SupportsArrowArray, giver: str = "The connector") -> pa.RecordBatch:
    """Returns the batch as a pyarrow record batch, without copying its data.

    Args:
        batch: a record batch of any Arrow library.
        giver: who gave it, for messages.

    Raises:
        TableException: it is something else.
    """
    if isinstance(batch, pa.RecordBatch):
        return batch
    try:
        return pa.record_batch(batch)
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise TableException(
            f"{giver} gave a value of the type {_type_name(batch)} where a record batch is expected.", hint=_HINT
        ) from error


def import_batches(batches: Iterable[SupportsArrowArray], giver: str) -> Iterator[pa.RecordBatch]:
    """Yields the batches of a connector's ``read`` as pyarrow batches.

    Raises:
        TableException: it returned something else than record batches, a single one among other things.
    """
    if hasattr(batches, "__arrow_c_array__") or isinstance(batches, pa.Table) or not isinstance(batches, Iterable):
        raise TableException(f"{giver} returned a {_type_name(batches)} where an iterator of record batches is expected.", hint=_HINT)
    return (import_batch(batch, giver) for batch in batches)


def _type_name(value: object) -> str:
    module = type(value).__module__
    return type(value).__qualname__ if module == "builtins" else f"{module.partition('.')[0]}.{type(value).__qualname__}"


def split_row_kinds(batch: pa.RecordBatch, width: int) -> tuple[pa.RecordBatch, list[int] | None]:
    """Returns the ``width`` columns of the rows, and the codes of their row kinds, or None if all are insertions."""
    if batch.num_columns == width:
        return batch, None
    return batch.select(list(range(width))), batch.column(width).to_pylist()


def rows_and_kinds(batch: SupportsArrowArray, row_type: RowType) -> tuple[pa.RecordBatch, pa.Array]:
    """Returns the rows that a sink gets, in the canonical schema of ``row_type``, and the codes of their row kinds.

    Where there is a column of row kinds, fields may be NULL: a row that deletes may have the key alone.
    """
    whole, width = import_batch(batch), len(row_type.fields)
    rows = whole.select(list(range(width)))
    if whole.num_columns == width:
        return conform(rows, row_type), pa.repeat(pa.scalar(0, pa.int8()), rows.num_rows)
    return conform(rows, row_type.with_nullable_fields()), whole.column(width)


def with_row_kind(batch: pa.RecordBatch, kind: RowKind) -> pa.RecordBatch:
    """Returns the batch with an additional last column that contains one row kind for all rows."""
    kinds = pa.array([kind.value] * batch.num_rows, pa.int8())
    return pa.RecordBatch.from_arrays([*batch.columns, kinds], names=[*batch.schema.names, "$row_kind"])


def table_of_batches(batches: Iterable[pa.RecordBatch], row_type: RowType) -> pa.Table:
    """Returns all batches as one table in the canonical schema of ``row_type``, with the column of row kinds if the batches have one."""
    collected = list(batches)
    if any(batch.num_columns != len(row_type.fields) for batch in collected):
        return pa.Table.from_batches(collected)
    return pa.Table.from_batches([conform(batch, row_type) for batch in collected], schema=to_arrow_schema(row_type))


def stream_of_batches(batches: Iterable[pa.RecordBatch], row_type: RowType) -> pa.RecordBatchReader:
    """Returns a reader that pulls batches on demand."""
    iterator = iter(batches)
    first = next(iterator, None)
    if first is not None and first.num_columns != len(row_type.fields):
        return pa.RecordBatchReader.from_batches(first.schema, _chain(first, iterator))
    rest = _chain(first, iterator) if first is not None else iter(())
    return pa.RecordBatchReader.from_batches(to_arrow_schema(row_type), (conform(batch, row_type) for batch in rest))


def _chain(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest
