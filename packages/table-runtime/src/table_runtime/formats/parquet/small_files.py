"""Small Parquet files, read whole by Arrow's reader of single files.

The modules of Arrow's datasets take longer to import than a small file to read, and they import pandas where it is installed. Filters are not
evaluated here: whoever reads a table evaluates them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from table_runtime.columns.batches import BATCH_ROWS, make_batch
from table_runtime.formats.file_format import ReadTask
from table_runtime.formats.parquet.row_group_filter import has_wanted_keys
from table_runtime.formats.parquet.wide_rows import FEW_ROWS, has_fixed_width

MOST_BYTES = 32 << 20
"""Maximum bytes of the values of a small file, before compression."""


class SmallFile:
    """An open file with one row group."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._metadata = reader.metadata
        self.schema: pa.Schema = reader.schema_arrow

    @classmethod
    def opened(cls, path: Path, columns: Sequence[str]) -> SmallFile | None:
        """Returns the file if it is small, and the columns are stored as they are read; None if it is not.

        Raises:
            OSError, pyarrow.ArrowException: it cannot be read.
        """
        from pyarrow._parquet import ParquetReader  # the module pyarrow.parquet imports much that a small query never needs

        reader = ParquetReader()
        reader.open(pa.OSFile(str(path), "r"), pre_buffer=False)
        metadata = reader.metadata
        if metadata.num_row_groups != 1 or metadata.num_rows > BATCH_ROWS or metadata.row_group(0).total_byte_size > MOST_BYTES:
            return None
        file = cls(reader)
        present = [file.schema.field(name).type for name in columns if file.schema.get_field_index(name) >= 0]
        is_narrow = metadata.num_rows <= FEW_ROWS or all(map(has_fixed_width, present))
        return file if is_narrow and not any(map(_has_parts, present)) else None

    def batches(self, columns: Sequence[str], task: ReadTask) -> Iterator[pa.RecordBatch]:
        """Yields the columns, if the file may have keys that the task wants."""
        if not has_wanted_keys(self._metadata.row_group(0), task, {field.name: field.type for field in self.schema}):
            return
        if not columns:
            yield make_batch([], pa.schema([]), self._metadata.num_rows)
            return
        positions = {self._metadata.schema.column(index).path: index for index in range(self._metadata.num_columns)}
        indices = [positions[name] for name in columns]
        for batch in self._reader.iter_batches(BATCH_ROWS, row_groups=[0], column_indices=indices):
            yield batch.select(list(columns))


def _has_parts(type_: pa.DataType) -> bool:
    return bool(pa.types.is_nested(type_) or pa.types.is_dictionary(type_) or isinstance(type_, pa.BaseExtensionType))
