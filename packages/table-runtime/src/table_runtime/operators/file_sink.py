"""Writes rows to the files of a table; the run commits them when all its sinks have ended."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import FileSinkProvider
from table_common.exceptions import TableRuntimeException
from table_runtime.formats import file_format
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import close_iterator
from table_runtime.operators.partition_files import PartitionFiles

__all__ = ["FileSink"]


class FileSink(Operator):
    """Writes its input and yields one row with the number of rows written."""

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
        part = context.file_changes.part(self._provider.path)
        writers = PartitionFiles(self._provider, part.path_of, f"part-{context.new_write()}")
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
                close_iterator(source)
            writers.close()
        except (pa.ArrowException, OSError) as error:
            raise TableRuntimeException(f"Writing table {self._table} at '{part.change.table}' failed: {error}") from error
        finally:
            writers.abandon()
        if self._provider.overwrite:
            part.overwrite(self._provider, writers.folders)
        yield pa.RecordBatch.from_arrays([pa.array([rows], type=pa.int64())], schema=self.schema)
