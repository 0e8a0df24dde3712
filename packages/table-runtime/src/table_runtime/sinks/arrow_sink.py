"""Writes rows through a connector's writer and committer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import ArrowSinkProvider, CommitContext, CommitMessage, SinkCommitter, WriterContext, message_to_json
from table_common.exceptions import TableError, TableRuntimeException
from table_runtime.cancellation import calling
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sinks.sink import Sink, SinkWrite


class ArrowSink(Sink):
    """Writes its input through one writer of the connector."""

    def __init__(self, child: Operator, provider: ArrowSinkProvider, table: str, sink: str) -> None:
        super().__init__(child, table)
        self._provider = provider
        self._table = table
        self._sink = sink

    @override
    def details(self) -> str:
        return f"table=[{self._table}], sink=[{self._sink}]"

    @override
    def epoch_provider(self) -> ArrowSinkProvider:
        return self._provider

    @override
    def open(self, context: ExecutionContext) -> SinkWrite:
        with errors_of(self._table):
            return _ArrowWrite(context, self._table, self._provider)


class _ArrowWrite(SinkWrite):
    def __init__(self, context: ExecutionContext, table: str, provider: ArrowSinkProvider) -> None:
        super().__init__(context, table)
        self._messages: list[CommitMessage] = []
        self._committer: SinkCommitter | None = None
        self._is_registered = False
        name = context.new_write()
        self._provider = provider
        self._writer = provider.create_writer(WriterContext(name))
        try:
            self._committer = provider.create_committer(CommitContext(name))
        except BaseException:
            self.abort()
            raise

    @override
    def _write(self, batch: pa.RecordBatch) -> None:
        with errors_of(self._table), calling(f"{type(self._writer).__name__}.write"):
            self._writer.write(batch)

    @override
    def finish(self) -> None:
        assert self._committer is not None
        with errors_of(self._table):
            self._messages.append(self._writer.prepare_commit())
            message_to_json(self._provider, self._messages[-1])  # a sink must not fail on another engine, or with checkpoints
        self._context.check()
        self._context.at_commit(self._commit, partial(self._committer.abort, self._messages))
        self._is_registered = True

    @override
    def abort(self) -> None:
        if self._is_registered:  # the run aborts it
            return
        # The first failure is the one to report.
        if not self._messages:
            with suppress(Exception):
                self._writer.abort()
        if self._committer is not None:
            with suppress(Exception):
                self._committer.abort(self._messages)

    def _commit(self) -> None:
        assert self._committer is not None
        with errors_of(self._table):
            self._committer.commit(self._messages)


@contextmanager
def errors_of(table: str) -> Iterator[None]:
    """Turns failures of a connector into errors that name the table."""
    try:
        yield
    except TableError:
        raise
    except Exception as error:
        raise TableRuntimeException(f"Writing {table} failed: {type(error).__name__}: {error}") from error
