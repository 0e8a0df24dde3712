"""Writes rows through a connector's writer and committer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import ArrowSinkProvider, CommitMessage, SinkCommitter, WriterContext
from table_common.exceptions import TableError, TableRuntimeException
from table_runtime.cancellation import calling
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import close_iterator

__all__ = ["ArrowSink"]


class ArrowSink(Operator):
    """Writes its input through one writer and yields one row with the number of rows written; the run commits at its end."""

    def __init__(self, child: Operator, provider: ArrowSinkProvider, table: str, sink: str) -> None:
        super().__init__(pa.schema([pa.field(table, pa.int64(), nullable=False)]), (child,))
        self._provider = provider
        self._table = table
        self._sink = sink

    @override
    def details(self) -> str:
        return f"table=[{self._table}], sink=[{self._sink}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        try:
            rows = self._write(context)
        except TableError:
            raise
        except Exception as error:
            raise self._error(error) from error
        yield pa.RecordBatch.from_arrays([pa.array([rows], type=pa.int64())], schema=self.schema)

    def _write(self, context: ExecutionContext) -> int:
        name = context.new_write()
        writer = self._provider.create_writer(WriterContext(name))
        committer: SinkCommitter | None = None
        messages: list[CommitMessage] = []
        rows = 0
        try:
            committer = self._provider.create_committer(name)
            source = self.inputs[0].batches(context)
            try:
                for batch in source:
                    context.check()
                    if batch.num_rows:
                        with calling(f"{type(writer).__name__}.write"):
                            writer.write(batch)
                        rows += batch.num_rows
                        context.report(f"{rows} rows written to {self._table}")
            finally:
                close_iterator(source)
            messages.append(writer.prepare_commit())
            context.check()
        except BaseException:
            # The first failure is the one to report.
            if not messages:
                with suppress(Exception):
                    writer.abort()
            if committer is not None:
                with suppress(Exception):
                    committer.abort(messages)
            raise
        context.at_commit(partial(self._commit, committer, messages), partial(committer.abort, messages))
        return rows

    def _commit(self, committer: SinkCommitter, messages: Sequence[CommitMessage]) -> None:
        try:
            committer.commit(messages)
        except TableError:
            raise
        except Exception as error:
            raise self._error(error) from error

    def _error(self, error: Exception) -> TableRuntimeException:
        return TableRuntimeException(f"Writing {self._table} failed: {type(error).__name__}: {error}")
