"""The open file of each partition that is written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from table_common.connector import FileSinkProvider
from table_common.types import RowType
from table_runtime.aggregates import Reduction
from table_runtime.batches import make_batch, take_arrays
from table_runtime.files import partition_folder
from table_runtime.formats import FileWriter, compressed_extension, file_format
from table_runtime.formats.text_values import to_text
from table_runtime.operators.grouping import reduce_groups

__all__ = ["PartitionFiles"]

MOST_OPEN_FILES = 128
"""How many partitions have an open file; the one that waited longest is closed, and its partition gets another file if it comes again."""


class PartitionFiles:
    """Writes rows to the files of their partitions; ``path_of`` makes the path of a name relative to the table, ``prefix`` begins all names."""

    def __init__(self, provider: FileSinkProvider, path_of: Callable[[str], Path], prefix: str) -> None:
        self._provider = provider
        self._path_of = path_of
        self._prefix = prefix
        self._format = file_format(provider.format)
        fields = provider.consumed_type.fields
        self._keys = [provider.consumed_type.field_names.index(key) for key in provider.partition_keys]
        self._columns = [index for index in range(len(fields)) if index not in self._keys]
        self._row_type = RowType(tuple(fields[index] for index in self._columns), nullable=False)
        self._open: OrderedDict[str, FileWriter] = OrderedDict()
        self._count = 0
        self.folders: set[str] = set()
        """The partitions that were written, as folders relative to the table."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Adds rows."""
        if not self._keys:
            self._writer("").write(batch)
            return
        fields = self._provider.consumed_type.fields
        texts = [to_text(batch.column(index), fields[index].type) for index in self._keys]
        values, (rows,), _ = reduce_groups(texts, [Reduction(pa.arange(0, batch.num_rows), "list")], batch.num_rows)
        columns = [batch.column(index) for index in self._columns]
        schema = pa.schema([batch.schema.field(index) for index in self._columns])
        for position in range(len(rows)):
            folder = partition_folder(
                self._provider.partition_keys, [column[position].as_py() for column in values], self._provider.partition_default_name
            )
            indices = rows[position].values
            self._writer(folder).write(make_batch(take_arrays(columns, indices), schema, len(indices)))

    def _writer(self, folder: str) -> FileWriter:
        writer = self._open.get(folder)
        if writer is None:
            if len(self._open) >= MOST_OPEN_FILES:
                self._open.popitem(last=False)[1].close()
            extension = self._format.extension + compressed_extension(self._provider)
            name = f"{self._prefix}-{self._count}.{extension}"
            self._count += 1
            self.folders.add(folder)
            path = self._path_of(f"{folder}/{name}" if folder else name)
            writer = self._open[folder] = self._format.open_writer(path, self._row_type, self._provider.format_options)
        self._open.move_to_end(folder)
        return writer

    def close(self) -> None:
        """Ends all files."""
        while self._open:
            self._open.popitem()[1].close()

    def abandon(self) -> None:
        """Closes what is still open after a failure, whose own errors do not matter then."""
        while self._open:
            writer = self._open.popitem()[1]
            with suppress(Exception):  # the file is thrown away
                writer.close()
