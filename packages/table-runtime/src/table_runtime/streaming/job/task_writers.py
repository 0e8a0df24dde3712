"""Writers of sinks: that of one epoch, and what makes them in the tasks of an engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa

from table_common.connector import ArrowSinkProvider, SinkWriter, WriterContext, message_to_json
from table_common.frozen_dataclass import dataclass
from table_runtime.cancellation import calling
from table_runtime.sinks.arrow_sink import errors_of
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.statement_set import OutputRows


class EpochWriter:
    """The writer of a task in an epoch, whose failures name the table and whose message is a JSON value."""

    def __init__(self, provider: ArrowSinkProvider, table: str, context: WriterContext) -> None:
        self._provider = provider
        self._table = table
        with errors_of(table):
            self._writer: SinkWriter = provider.create_writer(context)

    def write(self, batch: pa.RecordBatch) -> None:
        """Takes rows."""
        with errors_of(self._table), calling(f"{type(self._writer).__name__}.write"):
            self._writer.write(batch)

    def prepare(self, watermark: int | None = None) -> Any:
        """Makes the rows durable, which have event time up to ``watermark``; returns the message for their commit."""
        with errors_of(self._table):
            if watermark is not None:
                self._writer.write_watermark(watermark)
            return message_to_json(self._provider, self._writer.prepare_commit())

    def abort(self) -> None:
        """Gives the rows up; the failure that led here is the one to report."""
        with suppress(Exception):
            self._writer.abort()


@dataclass(frozen=True, slots=True)
class TaskWriters:
    """Makes the writers of a sink in tasks. It can be pickled with the connector's provider, and holds no plan; ``job_id`` is that of the sink in its job."""

    provider: ArrowSinkProvider
    table: str
    job_id: str
    output: OutputRows

    def __call__(self, epoch: int, task: int, attempt: int) -> TaskWriter:
        """Returns the writer of an attempt of a task."""
        return TaskWriter(self, WriterContext(self.job_id, epoch, task, attempt))

    def context(self, epoch: int) -> WriterContext:
        """Returns the identity of the first task of an epoch."""
        return WriterContext(self.job_id, epoch)


class TaskWriter:
    """Writes the changes of an output that one attempt of a task makes; it opens the connector's writer with the first row."""

    def __init__(self, factory: TaskWriters, context: WriterContext) -> None:
        self.rows = 0
        self._factory = factory
        self._context = context
        self._writer: EpochWriter | None = None
        self._messages: Sequence[Any] = ()

    def write(self, changes: ChangeBatch) -> None:
        """Takes the next rows."""
        for batch in self._factory.output.batches_of(changes, lambda: None):
            if not batch.num_rows:
                continue
            if self._writer is None:
                self._writer = EpochWriter(self._factory.provider, self._factory.table, self._context)
            self._writer.write(batch)
            self.rows += batch.num_rows

    def finish(self) -> Sequence[Any]:
        """Makes the rows durable; returns the message for their commit, none without rows."""
        if self._writer is not None and not self._messages:
            self._messages = [self._writer.prepare()]
        return self._messages

    def abort(self) -> None:
        """Gives the rows up: the task has failed. If they are durable already, the owner of the job removes them, as those of a task that was killed."""
        if self._writer is not None and not self._messages:
            self._writer.abort()
