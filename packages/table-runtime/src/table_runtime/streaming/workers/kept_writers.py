"""The writers of sinks in a worker, which stay open from one checkpoint to the next."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from table_common.annotation import override
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.shares.task_output import OutputWriter, WriterFactory


class KeptWriters:
    """One writer per sink for all tasks of a worker."""

    def __init__(self, worker: int) -> None:
        self._worker = worker
        self._open: dict[int, OutputWriter] = {}
        self._rows: dict[int, int] = {}

    def of(self, factories: Mapping[int, WriterFactory]) -> dict[int, WriterFactory]:
        """Returns what gives tasks the open writers of sinks, or new ones."""
        return {output: partial(self._writer, output, factory) for output, factory in factories.items()}

    def _writer(self, output: int, factory: WriterFactory, epoch: int, task: int, attempt: int) -> OutputWriter:
        if output not in self._open:
            # A task of the sink is a worker here; the process tells attempts of an epoch apart.
            self._open[output] = factory(epoch, self._worker, os.getpid())
        return _TaskWriter(self._open[output])

    def finish(self) -> dict[int, Sequence[Any]]:
        """Makes all rows durable; returns the messages for their commit."""
        opened, self._open = self._open, {}
        messages: dict[int, Sequence[Any]] = {output: list(writer.finish()) for output, writer in opened.items()}
        self._rows = {output: writer.rows for output, writer in opened.items()}
        return messages

    def rows(self) -> Mapping[int, int]:
        """Returns how many rows were made durable for each output."""
        return self._rows

    def abort(self) -> None:
        """Gives the rows up."""
        for writer in self._open.values():
            writer.abort()
        self._open.clear()


class _TaskWriter(OutputWriter):
    """The writer as a task sees it, which does not end it."""

    def __init__(self, writer: OutputWriter) -> None:
        self.rows = 0
        self._writer = writer

    @override
    def write(self, changes: ChangeBatch) -> None:
        before = self._writer.rows
        self._writer.write(changes)
        self.rows += self._writer.rows - before

    @override
    def finish(self) -> Sequence[Any]:
        return ()

    @override
    def abort(self) -> None:
        """Leaves the rows to the owner of the writer."""
