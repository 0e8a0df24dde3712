"""Writes of a job to one sink, epoch by epoch."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa

from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    SinkCommitter,
    SinkWriter,
    WriterContext,
    message_from_json,
    message_to_json,
)
from table_runtime.cancellation import calling
from table_runtime.operators.arrow_sink import errors_of
from table_runtime.operators.execution import ExecutionContext

__all__ = ["SinkEpochs"]


class SinkEpochs:
    """Opens a writer for each epoch that has rows, and commits its messages, which are given and taken as JSON; used by one thread.

    ``job_id`` identifies the sink in the job, and lasts over restarts.
    """

    def __init__(self, provider: ArrowSinkProvider, table: str, job_id: str, context: ExecutionContext) -> None:
        self.table = table
        self.job_id = job_id
        self.rows = 0
        """The number of rows written in all epochs of this run."""
        self._counted = 0
        self._provider = provider
        self._context = context
        self._writer: SinkWriter | None = None
        self._committer: SinkCommitter | None = None

    @classmethod
    def of(cls, provider: ArrowSinkProvider, table: str, job_id: str, name: str, context: ExecutionContext) -> SinkEpochs:
        """Returns the writes of a job to the sink that has this name in its checkpoints."""
        safe = "".join(char if char.isalnum() or char in "._-" else "-" for char in name)
        return cls(provider, table, f"{job_id}-{safe}", context)

    @property
    def has_rows(self) -> bool:
        """Whether rows were written in the epoch."""
        return self._writer is not None

    @property
    def commits_empty_epochs(self) -> bool:
        """Whether epochs without rows matter to the sink."""
        return self._provider.commits_empty_epochs

    def take_rows(self) -> int:
        """Returns the number of rows written since the last call."""
        result, self._counted = self.rows - self._counted, self.rows
        return result

    def write(self, batch: pa.RecordBatch, epoch: int) -> None:
        """Writes rows of an epoch; cancellation of the job interrupts it."""
        self._context.token.run(lambda: self._write(batch, epoch))
        self.rows += batch.num_rows
        self._context.report(f"{self.rows} rows written to {self.table}")

    def _write(self, batch: pa.RecordBatch, epoch: int) -> None:
        with errors_of(self.table):
            writer = self._writer if self._writer is not None else self._open(epoch)
            with calling(f"{type(writer).__name__}.write"):
                writer.write(batch)

    def _open(self, epoch: int) -> SinkWriter:
        if self._provider.is_local:
            self._committer = self._provider.create_committer(CommitContext(self.job_id, epoch))
        self._writer = self._provider.create_writer(WriterContext(self.job_id, epoch))
        return self._writer

    def prepare(self, epoch: int, watermark: int | None) -> list[Any]:
        """Ends the writes of the epoch, whose rows have event time up to ``watermark``; returns the messages to commit, none if there is nothing to do."""
        if self._writer is None and not self._provider.commits_empty_epochs:
            return []
        with errors_of(self.table):
            writer = self._writer if self._writer is not None else self._open(epoch)
            if watermark is not None:
                writer.write_watermark(watermark)
            messages = [message_to_json(self._provider, writer.prepare_commit())]
        self._writer = None
        return messages

    def commit(self, epoch: int, messages: Sequence[Any]) -> None:
        """Makes the rows of an epoch visible; may be repeated with the same messages.

        Raises:
            TableError: the commit failed, or a message is not one of the sink.
        """
        if not messages:
            return
        committer, self._committer = self._committer, None
        with errors_of(self.table):
            if committer is None:
                committer = self._provider.create_committer(CommitContext(self.job_id, epoch))
            committer.commit([message_from_json(self._provider, message) for message in messages])

    def discard(self, epoch: int, messages: Sequence[Any]) -> None:
        """Discards the rows of an epoch that will not be committed; the failure that led here is the one to report."""
        with suppress(Exception):
            if messages:
                found = [message_from_json(self._provider, message) for message in messages]
                self._provider.create_committer(CommitContext(self.job_id, epoch)).abort(found)

    def abort(self) -> None:
        """Discards the rows written in the epoch."""
        writer, self._writer = self._writer, None
        committer, self._committer = self._committer, None
        for end in (writer.abort if writer is not None else None, (lambda: committer.abort([])) if committer is not None else None):
            if end is not None:
                with suppress(Exception):  # the failure that led here is the one to report
                    end()
