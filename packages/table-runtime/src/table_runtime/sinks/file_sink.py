"""Writes rows to the files of a table; the run commits them when all its sinks have ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import ArrowSinkProvider, FileSinkProvider
from table_common.exceptions import TableException, TableRuntimeException
from table_runtime.formats import file_format
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sinks.partition_files import PartitionFiles
from table_runtime.sinks.sink import Sink, SinkWrite


class FileSink(Sink):
    """Writes its input to new files of the table."""

    def __init__(
        self,
        child: Operator,
        provider: FileSinkProvider,
        table: str,
        epochs: Callable[[FileSinkProvider], ArrowSinkProvider] | None = None,
    ) -> None:
        """``epochs`` makes the writers of an unbounded job; None: the sink has no epochs."""
        super().__init__(child, table)
        self._epochs = epochs
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
    def epoch_provider(self) -> ArrowSinkProvider:
        if self._provider.overwrite:
            problem = f"INSERT OVERWRITE of {self._table} needs bounded rows, but the query reads an unbounded source."
            raise TableException(problem, hint="INSERT INTO")
        return self._epochs(self._provider) if self._epochs is not None else super().epoch_provider()

    @override
    def open(self, context: ExecutionContext) -> SinkWrite:
        return _FileWrite(context, self._table, self._provider)


class _FileWrite(SinkWrite):
    def __init__(self, context: ExecutionContext, table: str, provider: FileSinkProvider) -> None:
        super().__init__(context, table)
        self._provider = provider
        self._part = context.file_changes.part(provider.path)
        self._writers = PartitionFiles(provider, self._part.path_of, f"part-{context.new_write()}")

    @override
    def _write(self, batch: pa.RecordBatch) -> None:
        with self._errors():
            self._writers.write(batch)

    @override
    def finish(self) -> None:
        with self._errors():
            self._writers.close()
            self._part.mark_partitions(self._provider, self._writers.folders)
        if self._provider.overwrite:
            self._part.overwrite(self._provider, self._writers.folders)

    @override
    def abort(self) -> None:
        self._writers.abandon()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise TableRuntimeException(f"Writing table {self._table} at '{self._part.change.table}' failed: {error}") from error
