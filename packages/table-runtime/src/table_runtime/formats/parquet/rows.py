"""Single rows of a Parquet file: only the row groups that have them are read, and each only up to its last one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.batches import concat_arrays
from table_runtime.formats.parquet.dictionaries import small_dictionaries

ROWS_AT_ONCE = 1 << 14
"""Rows that are decoded per step; at most this many after the last wanted row of a row group are decoded needlessly."""


def rows_by_group(
    path: Path, columns: Sequence[str], texts: set[str], rows: Sequence[int]
) -> Iterator[Callable[[], tuple[list[str], list[pa.Array]]]]:
    """Yields for each row group with some of the rows a function that reads these: the names and the columns that the file has.

    ``rows`` are positions in the file, in ascending order; there is nothing for positions after its end. The columns ``texts`` may be read as
    dictionaries; they are returned decoded. Names have no dots.
    """
    from pyarrow.parquet import ParquetFile  # only large files are read so

    with ParquetFile(path) as file:
        metadata, schema = file.metadata, file.schema_arrow
    present = [name for name in columns if schema.get_field_index(name) >= 0]
    encoded = small_dictionaries(schema, metadata, texts)
    start = first = 0
    for number in range(metadata.num_row_groups):
        end = start + metadata.row_group(number).num_rows
        last = first
        while last < len(rows) and rows[last] < end:
            last += 1
        if last > first:
            wanted = [row - start for row in rows[first:last]]
            yield partial(_rows_of, path, metadata, encoded, number, present, wanted)
        start, first = end, last


def _rows_of(
    path: Path, metadata: Any, encoded: Sequence[str], group: int, columns: list[str], rows: Sequence[int]
) -> tuple[list[str], list[pa.Array]]:
    """Returns the names and columns of some rows of a row group."""
    from pyarrow.parquet import ParquetFile

    found: list[pa.RecordBatch] = []
    start = first = 0
    with ParquetFile(path, metadata=metadata, read_dictionary=list(encoded)) as file:
        for batch in file.iter_batches(ROWS_AT_ONCE, row_groups=[group], columns=columns, use_threads=False):
            last = first
            while last < len(rows) and rows[last] < start + batch.num_rows:
                last += 1
            if last > first:
                found.append(batch.select(columns).take(pa.array([row - start for row in rows[first:last]], pa.int64())))
            start, first = start + batch.num_rows, last
            if first == len(rows):
                break
    arrays = [[_plain(batch.column(index)) for batch in found] for index in range(len(columns))]
    return columns, [concat_arrays(parts, parts[0].type) for parts in arrays]


def _plain(column: pa.Array) -> pa.Array:
    return pc.take(column.dictionary, column.indices) if pa.types.is_dictionary(column.type) else column
