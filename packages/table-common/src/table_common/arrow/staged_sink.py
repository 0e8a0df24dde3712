"""A sink for systems to which the rows of a task are given at once: staged by each task, published by the job."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow.streams import import_batch
from table_common.connector import (
    ArrowSinkProvider,
    CommitMessage,
    DynamicTableSink,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType

__all__ = ["StagedTableSink"]


@dataclass
class StagedTableSink(DynamicTableSink):
    """Adds rows; define ``stage``, ``publish`` and ``discard``. Instances must be picklable.

    The rows of a task are kept in memory until its end: what is too much for that takes a ``SinkWriter`` of its own.
    """

    row_type: RowType
    """The columns of the rows."""

    @abstractmethod
    def stage(self, batches: Sequence[pa.RecordBatch], context: WriterContext) -> CommitMessage:
        """Puts the rows of a task where nobody sees them and nothing is lost, and returns what the other two need to find them.

        A task that is run again has the same context, and replaces what it staged before. If staging fails nothing may be left that is seen.
        """

    @abstractmethod
    def publish(self, staged: CommitMessage) -> None:
        """Makes the rows of a task visible, once all tasks have staged theirs. May be told twice, also after a failure half-way."""

    @abstractmethod
    def discard(self, staged: CommitMessage) -> None:
        """Throws away what a task staged, so that nothing of it is left. May be told twice."""

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        return _StagedProvider(self)


@dataclass(frozen=True)
class _StagedProvider(ArrowSinkProvider):
    sink: StagedTableSink

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self.sink, context)

    @override
    def create_committer(self, job_id: str) -> SinkCommitter:
        return _Committer(self.sink)


class _Writer(SinkWriter):
    def __init__(self, sink: StagedTableSink, context: WriterContext) -> None:
        self._sink = sink
        self._context = context
        self._batches: list[pa.RecordBatch] = []

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        self._batches.append(import_batch(batch))

    @override
    def prepare_commit(self) -> CommitMessage:
        return self._sink.stage(self._batches, self._context)

    @override
    def abort(self) -> None:
        self._batches.clear()


@dataclass(frozen=True)
class _Committer(SinkCommitter):
    sink: StagedTableSink

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        for message in messages:
            self.sink.publish(message)

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        for message in messages:
            self.sink.discard(message)
