"""Writes rows into the files of a table, all or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import FileSinkProvider
from table_common.exceptions import TableRuntimeException
from table_runtime.files import begin_change, overwritten_files
from table_runtime.formats import file_format
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import closing
from table_runtime.operators.partition_files import PartitionFiles

__all__ = ["FileSink"]


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
        target = begin_change(self._provider.path, context.job_id)
        writers = PartitionFiles(self._provider, target.path_of, f"part-{context.job_id}")
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
            target.commit(self._replaced(target.existing(), writers) if self._provider.overwrite else ())
        except (pa.ArrowException, OSError) as error:
            raise TableRuntimeException(f"Writing table {self._table} at '{target.table}' failed: {error}") from error
        finally:
            writers.abandon()
            target.abort()
        yield pa.RecordBatch.from_arrays([pa.array([rows], type=pa.int64())], schema=self.schema)

    def _replaced(self, old: Sequence[str], writers: PartitionFiles) -> list[str]:
        """Returns the files that go: all, or those of the partitions that are named or written."""
        provider = self._provider
        return overwritten_files(old, writers.folders, provider.partition_keys, provider.static_partition, provider.partition_default_name)
