"""Row groups of Parquet files with large values in batches of few rows: Arrow's datasets decode a whole row group at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.batches import BATCH_BYTES, BATCH_ROWS, rows_at_once

FEW_ROWS = 4096
"""Rows of a file whose width does not matter."""
FIRST_ROWS = 256
"""Rows that are read before the others, to see how wide they are."""


def rows_per_batch(path: Path, part: Any, columns: Sequence[str]) -> int:
    """Returns how many rows of the row groups of a fragment make a batch: fewer than ``BATCH_ROWS`` if the first ones are wide.

    The sizes in the file do not say so: a large value in a dictionary is counted once.
    """
    wide = [name for name in columns if not has_fixed_width(part.physical_schema.field(name).type)]
    if not wide or part.metadata.num_rows <= FEW_ROWS:
        return BATCH_ROWS
    from pyarrow.parquet import ParquetFile  # it imports much that a small query never needs

    with ParquetFile(path, metadata=part.metadata) as file:
        first = next(file.iter_batches(FIRST_ROWS, row_groups=[part.row_groups[0].id], columns=wide, use_threads=False), None)
    if first is None:
        return BATCH_ROWS
    rows = rows_at_once([_decoded(column) for column in first.columns])
    return rows if rows == BATCH_ROWS else max(1, rows // 4)  # several batches wait for their readers


def wide_batches(
    path: Path, part: Any, columns: Sequence[str], rows: int, encoded: Sequence[str], condition: Any, filtered: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Yields the columns of a fragment in batches of ``rows`` rows before ``condition``, which uses the columns ``filtered``.

    The columns ``encoded`` are dictionary arrays.
    """
    from pyarrow.parquet import ParquetFile

    groups = [group.id for group in (part if condition is None else part.subset(filter=condition)).row_groups]
    read = list(dict.fromkeys((*columns, *filtered)))
    with ParquetFile(path, metadata=part.metadata, read_dictionary=list(encoded)) as file:
        from table_runtime.formats.parquet.fields import filtered_batch  # few rows are wide

        for group in groups:  # Arrow does not read dictionaries of several row groups in one batch
            for batch in file.iter_batches(rows, row_groups=[group], columns=read):
                found = batch if condition is None else filtered_batch(batch, condition, filtered)
                # A column that Arrow wrote from a dictionary array is one again, and each batch would have the whole dictionary.
                arrays = [found.column(name) if name in encoded else _decoded(found.column(name)) for name in columns]
                yield pa.RecordBatch.from_arrays(arrays, names=list(columns))


def decoded_slices(batch: pa.RecordBatch, kept: Collection[str]) -> Iterator[pa.RecordBatch]:
    """Yields a batch in slices, each of which is not too large with its dictionary arrays decoded, except for the columns ``kept``."""
    columns = (column for name, column in zip(batch.schema.names, batch.columns, strict=True) if name not in kept)
    widths = (pc.max(pc.binary_length(column.dictionary)).as_py() or 0 for column in columns if pa.types.is_dictionary(column.type))
    width = sum(widths)
    if batch.num_rows * width <= BATCH_BYTES:
        yield batch
        return
    rows = max(1, BATCH_BYTES // width // 4)  # several batches wait for their readers
    yield from (batch.slice(start, rows) for start in range(0, batch.num_rows, rows))


def has_fixed_width(type_: pa.DataType) -> bool:
    """Returns whether the values of a type take the same room each, and are stored one by one."""
    try:
        return bool(type_.bit_width) and not pa.types.is_dictionary(type_)
    except ValueError:
        return False


def _decoded(column: pa.Array) -> pa.Array:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
