"""Writes rows into the files of a table, all or nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import FileSinkProvider
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType
from table_runtime.aggregates import Reduction
from table_runtime.batches import make_batch, take_arrays
from table_runtime.files import StagedWrite, local_path, overwritten_files, partition_folder, visible_files
from table_runtime.formats import FileWriter, compressed_extension, file_format
from table_runtime.formats.text_values import to_text
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.grouping import reduce_groups
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import closing

__all__ = ["FileSink"]

MOST_OPEN_FILES = 128
"""How many partitions have an open file; the one that waited longest is closed, and its partition gets another file if it comes again."""


class FileSink(Operator):
    """Writes its input and yields one row: how many rows were written."""

    def __init__(self, child: Operator, provider: FileSinkProvider, table: str) -> None:
        super().__init__(pa.schema([pa.field(table, pa.int64(), nullable=False)]), (child,))
        self._provider = provider
        self._table = table
        self._format = file_format(provider.format)

    @override
    def details(self) -> str:
        text = f"table=[{self._table}], format=[{self._provider.format}]"
        if self._provider.partition_keys:
            text += f", partitionedBy=[{', '.join(self._provider.partition_keys)}]"
        return text + (", overwrite=[true]" if self._provider.overwrite else "")

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        target = StagedWrite(local_path(self._provider.path), context.job_id)
        target.begin()
        writers = _Writers(self._provider, target, context.job_id)
        rows = 0
        try:
            source = self.inputs[0].batches(context)
            try:
                for batch in source:
                    context.check()
                    if batch.num_rows:
                        writers.write(batch)
                        rows += batch.num_rows
                        context.report(f"{rows} rows written to {self._table}")
            finally:
                closing(source)
            writers.close()
            context.check()
            target.commit(self._replaced(target, writers) if self._provider.overwrite else ())
        except (pa.ArrowException, OSError) as error:
            raise TableRuntimeException(f"Writing table {self._table} at '{target.table}' failed: {error}") from error
        finally:
            writers.abandon()
            target.abort()
        yield pa.RecordBatch.from_arrays([pa.array([rows], type=pa.int64())], schema=self.schema)

    def _replaced(self, target: StagedWrite, writers: _Writers) -> list[str]:
        """Returns the files that go: all, or those of the partitions that are named or written."""
        if not target.table.exists():
            return []
        old = [name for name, _ in visible_files(target.table)]
        provider = self._provider
        return overwritten_files(old, writers.folders, provider.partition_keys, provider.static_partition, provider.partition_default_name)


class _Writers:
    """The open file of each partition."""

    def __init__(self, provider: FileSinkProvider, target: StagedWrite, job_id: str) -> None:
        self._provider = provider
        self._target = target
        self._job_id = job_id
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
        """Adds rows to the files of their partitions."""
        if not self._keys:
            self._writer("").write(batch)
            return
        fields = self._provider.consumed_type.fields
        texts = [to_text(batch.column(index), fields[index].type) for index in self._keys]
        values, (rows,), _ = reduce_groups(texts, [Reduction(pa.arange(0, batch.num_rows), "list")], batch.num_rows)
        columns = [batch.column(index) for index in self._columns]
        for position in range(len(rows)):
            folder = partition_folder(
                self._provider.partition_keys, [column[position].as_py() for column in values], self._provider.partition_default_name
            )
            indices = rows[position].values
            schema = pa.schema([batch.schema.field(index) for index in self._columns])
            self._writer(folder).write(make_batch(take_arrays(columns, indices), schema, len(indices)))

    def _writer(self, folder: str) -> FileWriter:
        writer = self._open.get(folder)
        if writer is None:
            if len(self._open) >= MOST_OPEN_FILES:
                self._open.popitem(last=False)[1].close()
            extension = self._format.extension + compressed_extension(self._provider)
            name = f"part-{self._job_id}-{self._count}.{extension}"
            self._count += 1
            self.folders.add(folder)
            path = self._target.path_of(f"{folder}/{name}" if folder else name)
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
