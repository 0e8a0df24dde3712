"""The write of a bounded INSERT to a sink whose rows workers write: a writer each, and one commit."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from table_common.connector import CommitContext, message_from_json
from table_runtime.run.execution import ExecutionContext
from table_runtime.sinks.arrow_sink import errors_of
from table_runtime.sinks.sink import Sink
from table_runtime.streaming.graph.statement_set import OutputRows
from table_runtime.streaming.job.task_writers import TaskWriters
from table_runtime.streaming.shares.notes import Note


class TaskWrite:
    """The write of one run to one sink."""

    def __init__(self, sink: Sink, output: OutputRows, context: ExecutionContext) -> None:
        """Opens the committer, as its sink expects before the first row.

        Raises:
            TableError: the sink has failed.
        """
        self.rows = 0
        self._provider = sink.epoch_provider()
        self._table = sink.table
        self._context = context
        name = context.new_write()
        self.writers = TaskWriters(self._provider, sink.table, name, output)
        with errors_of(sink.table):
            self._committer = self._provider.create_committer(CommitContext(name))
        self._is_registered = False

    def finish(self, notes: Sequence[Note], output: int) -> None:
        """Registers what the workers have written with the run, which commits it.

        Raises:
            TableError: a message is not one of the sink.
        """
        self.rows = sum(note.rows.get(output, 0) for note in notes)
        with errors_of(self._table):
            messages = [message_from_json(self._provider, each) for note in notes for each in note.messages[output]]
            if not messages:  # without rows the sink is told so by one writer
                writer = self._provider.create_writer(self.writers.context(0))
                messages = [writer.prepare_commit()]

        def commit() -> None:
            with errors_of(self._table):
                self._committer.commit(messages)

        self._context.at_commit(commit, lambda: self._committer.abort(messages))
        self._is_registered = True

    def abort(self) -> None:
        """Discards what workers have written; the failure that led here is the one to report."""
        if not self._is_registered:
            with suppress(Exception):
                self._committer.abort([])
