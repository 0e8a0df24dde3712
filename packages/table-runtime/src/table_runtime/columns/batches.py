"""Creates and slices record batches by position, including batches without columns, which only have a row count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableInternalError

BATCH_ROWS = 131_072
"""Preferred number of rows per output batch."""
BATCH_BYTES = 1 << 26
"""Approximate upper bound of a batch's bytes where rows are repeated."""
LARGEST_OFFSET = 2**31 - 1 - 2**20
"""Maximum bytes of text in one array with 32-bit offsets, with a margin."""
FEW_COLUMNS = 8
"""Columns that are added to a batch one by one; each addition takes time for all columns of the batch."""
LARGEST_RUN = LARGEST_OFFSET // 8
"""Maximum bytes of the batches that are processed together."""
_ENDS_AT_MAPS = int(pa.__version__.split(".")[0]) < 26
SMALL_BYTES = 1 << 20
"""Bytes of buffers up to which the exact size of a batch does not matter: it takes a look at each column."""
REUSES = 8
"""Assumed maximum number of columns that refer to the same buffer."""


def rows_at_once(columns: Sequence[pa.Array | pa.ChunkedArray]) -> int:
    """Returns the number of such rows per batch: fewer than ``BATCH_ROWS`` if the rows are wide."""
    rows = len(columns[0]) if columns else 0
    return _rows_at_once(rows, sum(column.nbytes for column in columns)) if rows else BATCH_ROWS


def repeated_rows_at_once(batch: pa.RecordBatch, count: int) -> int:
    """Returns the number of rows per batch if ``count`` rows are made of those of ``batch``."""
    rows = batch.num_rows
    if not rows or REUSES * batch.get_total_buffer_size() * count <= BATCH_BYTES * rows:
        return BATCH_ROWS  # known without looking at each column
    return _rows_at_once(rows, batch.nbytes)


def approximate_size(batch: pa.RecordBatch) -> int:
    """Returns the bytes of a batch; those of a small one, which may be a slice, are those of its buffers."""
    size: int = batch.get_total_buffer_size()
    return size if size <= SMALL_BYTES else int(batch.nbytes)


def _rows_at_once(rows: int, size: int) -> int:
    return max(1, min(BATCH_ROWS, int(BATCH_BYTES / max(1.0, size / rows))))


def make_batch(arrays: Sequence[pa.Array], schema: pa.Schema, rows: int) -> pa.RecordBatch:
    """Returns a batch of ``rows`` rows; a batch without columns keeps its row count."""
    if not arrays:
        return pa.RecordBatch.from_struct_array(pa.StructArray.from_buffers(pa.struct([]), rows, [None]))
    if len(arrays[0]) != rows:
        raise TableInternalError(f"A column of {len(arrays[0])} values was made for {rows} rows.")
    return pa.RecordBatch.from_arrays([cast_array(array, field.type) for array, field in zip(arrays, schema, strict=True)], schema=schema)


def join_columns(left: pa.RecordBatch, right: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Returns the columns of two batches of as many rows, in ``schema``."""
    if left.num_columns >= right.num_columns:
        return append_columns(left, right.columns, schema)
    if left.num_columns > FEW_COLUMNS:
        return make_batch([*left.columns, *right.columns], schema, right.num_rows)
    extended = right
    for position, column in enumerate(left.columns):
        field = schema.field(position)
        extended = extended.add_column(position, field, cast_array(column, field.type))
    if extended.schema.equals(schema, check_metadata=True):
        return extended
    return make_batch([*left.columns, *right.columns], schema, right.num_rows)


def append_columns(batch: pa.RecordBatch, columns: Sequence[pa.Array], schema: pa.Schema) -> pa.RecordBatch:
    """Returns the batch with further columns appended, in ``schema``. A wide batch keeps its columns without a loop over them."""
    width = batch.num_columns
    if width >= len(columns) <= FEW_COLUMNS:
        extended = batch
        for position, column in enumerate(columns, width):
            field = schema.field(position)
            extended = extended.append_column(field, cast_array(column, field.type))
        if extended.schema.equals(schema, check_metadata=True):
            return extended
    return make_batch([*batch.columns, *columns], schema, batch.num_rows)


def cast_array(array: pa.Array, type_: pa.DataType) -> pa.Array:
    """Returns the array with type ``type_``: adapts the nullability of nested fields and decodes dictionaries."""
    return array if array.type == type_ else with_counted_keys(pc.cast(with_counted_keys(array), type_))


def with_counted_keys(array: pa.Array) -> pa.Array:
    """Returns the array of any type, so that its maps may be cast and concatenated.

    pyarrow 25 ends the process when it casts keys of maps that have a validity bitmap, or concatenates maps whose keys it has cast and
    not counted (https://github.com/apache/arrow/issues/51029). What is read from IPC has counts, and no bitmap without NULLs.
    """
    if not _ENDS_AT_MAPS or "map<" not in str(array.type):
        return array
    batch = pa.record_batch([array], ["array"])
    return pa.ipc.read_record_batch(batch.serialize(), batch.schema).column(0)


def with_dictionaries(schema: pa.Schema, arrays: Sequence[pa.Array]) -> pa.Schema:
    """Returns the schema of arrays some of which are dictionary arrays, so that ``make_batch`` does not decode them."""
    for position, array in enumerate(arrays):
        if pa.types.is_dictionary(array.type):
            schema = schema.set(position, schema.field(position).with_type(array.type))
    return schema


def empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    """Returns a batch without rows."""
    return make_batch([pa.array([], type=field.type) for field in schema], schema, 0)


def cast_to_schema(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Returns the batch with another schema of equal types."""
    return make_batch(batch.columns, schema, batch.num_rows)


def concat_arrays(chunks: Sequence[pa.Array], type_: pa.DataType) -> pa.Array:
    """Returns the chunks as one array."""
    if len(chunks) == 1:
        return chunks[0]
    return pa.concat_arrays(chunks) if chunks else pa.array([], type=type_)


def take_arrays(columns: Iterable[pa.Array | pa.ChunkedArray], indices: pa.Array) -> list[pa.Array]:
    """Returns the values of each column at the positions; a NULL position gives NULL."""
    return [_take(column, indices) for column in columns]


def _take(column: Any, indices: pa.Array) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column
    if pa.types.is_null(column.type):
        return pa.nulls(len(indices))
    taken = pc.take(column, indices)
    return concat_arrays(taken.chunks, taken.type) if isinstance(taken, pa.ChunkedArray) else taken


def take_batch(batch: pa.RecordBatch, indices: pa.Array) -> pa.RecordBatch:
    """Returns the rows at the positions; a NULL position gives NULLs."""
    if batch.num_columns == 0:
        return make_batch([], batch.schema, len(indices))
    return batch if _is_all(indices, batch.num_rows) else pc.take(batch, indices)


def _is_all(indices: pa.Array, rows: int) -> bool:
    """Whether the positions are 0, 1, 2, … up to ``rows``."""
    if len(indices) != rows:
        return False
    if rows and (indices[0].as_py() != 0 or indices[rows - 1].as_py() != rows - 1):
        return False
    return bool(pc.cast(indices, pa.int64()).equals(pa.arange(0, rows)))


def split_table(columns: Sequence[pa.ChunkedArray], schema: pa.Schema, rows: int, indices: pa.Array | None) -> Iterator[pa.RecordBatch]:
    """Yields the rows at ``indices`` (None: all) in batches of moderate size, so that no text array grows beyond 2 GiB."""
    for start in range(0, rows, BATCH_ROWS):
        count = min(BATCH_ROWS, rows - start)
        if indices is None:
            arrays = [concat_arrays(column.slice(start, count).chunks, column.type) for column in columns]
        else:
            arrays = take_arrays(columns, indices.slice(start, count))
        yield make_batch(arrays, schema, count)


def coalesce_batches(
    batches: Iterable[pa.RecordBatch], rows: int | Callable[[], int], scaled: Callable[[int], int] | None = None
) -> Iterator[list[pa.RecordBatch]]:
    """Yields lists of batches that together have at least ``rows`` rows, the last one fewer; empty batches are left out.

    ``rows`` may be a function, which is called for each batch. ``scaled`` reduces the size limit of a run if memory is scarce, and large batches
    are cut; it is called for large runs only.
    """
    wanted = rows if callable(rows) else lambda: rows
    run: list[pa.RecordBatch] = []
    count = size = 0
    for batch in batches if scaled is None else _cut(batches, wanted, scaled):
        if batch.num_rows == 0:
            continue
        run.append(batch)
        count += batch.num_rows
        size += approximate_size(batch)
        is_full = count >= wanted() or size >= LARGEST_RUN
        if not is_full and scaled is not None and (count >= BATCH_ROWS // 16 or size >= BATCH_BYTES // 8):
            is_full = count >= scaled(wanted()) or size >= scaled(LARGEST_RUN // 4)  # kernels may need several times the size
        if is_full:
            yield run
            run, count, size = [], 0, 0
    if run:
        yield run


def _cut(batches: Iterable[pa.RecordBatch], rows: Callable[[], int], scaled: Callable[[int], int]) -> Iterator[pa.RecordBatch]:
    """Yields the batches in slices of at most ``scaled(rows())`` rows, but not of less than some thousand, or of fewer than a batch has with ample memory."""
    least = BATCH_ROWS // 16
    for batch in batches:
        if batch.num_rows <= least:
            yield batch
        else:
            most = max(scaled(max(rows(), BATCH_ROWS)), least)
            for start in range(0, batch.num_rows, most):
                yield batch.slice(start, most)


def rechunk(run: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    """Returns the batches of a run as one batch; a column that is a dictionary array in all of them remains one."""
    if len(run) == 1:
        return run[0]
    rows = sum(batch.num_rows for batch in run)
    arrays = []
    for position, field in enumerate(schema):
        columns = [batch.column(position) for batch in run]
        if any(column.type != columns[0].type for column in columns):
            columns = [cast_array(column, field.type) for column in columns]
        arrays.append(concat_arrays(columns, field.type))
    return make_batch(arrays, with_dictionaries(schema, arrays), rows)
