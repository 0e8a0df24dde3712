"""Writes of a job to one sink, epoch by epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa

from table_common.connector import ArrowSinkProvider, CommitContext, SinkCommitter, WriterContext, message_from_json
from table_runtime.run.execution import ExecutionContext
from table_runtime.sinks.arrow_sink import errors_of
from table_runtime.streaming.graph.statement_set import OutputRows
from table_runtime.streaming.job.task_writers import EpochWriter, TaskWriters


class SinkEpochs:
    """Opens a writer for each epoch that has rows, and commits its messages, which are given and taken as JSON; used by one thread.

    Where tasks of an engine write, ``writers_of`` makes their writers, and ``take`` takes what they have prepared. ``job_id`` identifies the sink in the job, and lasts over restarts.
    """

    def __init__(self, provider: ArrowSinkProvider, table: str, job_id: str, context: ExecutionContext) -> None:
        self.table = table
        self.job_id = job_id
        self.rows = 0
        """The number of rows written in all epochs of this run."""
        self._counted = 0
        self._provider = provider
        self._context = context
        self._writer: EpochWriter | None = None
        self._committer: SinkCommitter | None = None
        self._of_tasks: Mapping[int, Sequence[Any]] = {}

    @classmethod
    def of(cls, provider: ArrowSinkProvider, table: str, job_id: str, name: str, context: ExecutionContext) -> SinkEpochs:
        """Returns the writes of a job to the sink that has this name in its checkpoints."""
        safe = "".join(char if char.isalnum() or char in "._-" else "-" for char in name)
        return cls(provider, table, f"{job_id}-{safe}", context)

    def writers_of(self, output: OutputRows) -> TaskWriters | None:
        """Returns what makes the writers of an engine's tasks, for the rows of an output; None if all rows must come to this process."""
        return None if self._provider.is_local else TaskWriters(self._provider, self.table, self.job_id, output)

    def take(self, messages: Mapping[int, Sequence[Any]], rows: int) -> None:
        """Takes what tasks have prepared for the epoch, by their numbers, and how many rows they have written."""
        self._of_tasks = messages
        self.rows += rows
        self._context.report(f"{self.rows} rows written to {self.table}")

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
        (self._writer if self._writer is not None else self._open(epoch)).write(batch)

    def _open(self, epoch: int) -> EpochWriter:
        if self._provider.is_local:
            with errors_of(self.table):
                self._committer = self._provider.create_committer(CommitContext(self.job_id, epoch))
        task = max(self._of_tasks, default=-1) + 1
        self._writer = EpochWriter(self._provider, self.table, WriterContext(self.job_id, epoch, task))
        return self._writer

    def prepare(self, epoch: int, watermark: int | None) -> list[Any]:
        """Ends the writes of the epoch, whose rows have event time up to ``watermark``; returns the messages to commit, none if there is nothing to do.

        The watermark of rows that tasks have written is known when all have ended: a sink that commits empty epochs gets it by a writer without rows.
        """
        messages = [message for task in sorted(self._of_tasks) for message in self._of_tasks[task]]
        if self._writer is not None or self._provider.commits_empty_epochs:
            messages.append((self._writer if self._writer is not None else self._open(epoch)).prepare(watermark))
            self._writer = None
        self._of_tasks = {}
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

    def discard_staged(self, epoch: int) -> None:
        """Discards what tasks, or processes that have died, have staged and nobody will commit: no rows of this epoch or a later one are decided, those before are committed."""
        self._of_tasks = {}
        if not self._provider.is_local:
            with suppress(Exception):  # it can be done later
                self._provider.create_committer(CommitContext(self.job_id, epoch)).abort([])

    def abort(self) -> None:
        """Discards the rows written in the epoch by this process."""
        writer, self._writer = self._writer, None
        committer, self._committer = self._committer, None
        if writer is not None:
            writer.abort()
        if committer is not None:
            with suppress(Exception):  # the failure that led here is the one to report
                committer.abort([])
