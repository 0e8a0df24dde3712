"""A sink that writes all rows of a task at once: each task stages its rows, and the job publishes them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow.streams import import_batch
from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    CommitMessage,
    DynamicTableSink,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType


@dataclass
class StagedTableSink(DynamicTableSink):
    """Adds rows; define ``stage``, ``publish`` and ``discard``. Instances must be picklable.

    The rows of a task are kept in memory until its end; for more data implement a ``SinkWriter``.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> published = []
        >>> class Lists(StagedTableSink):
        ...     def stage(self, batches, context):
        ...         return [row for batch in batches for row in batch.to_pylist()]
        ...     def publish(self, staged):
        ...         published.extend(row for row in staged if row not in published)
        ...     def discard(self, staged):
        ...         pass
        >>> sink = Lists(parse_logical_type("ROW<n BIGINT> NOT NULL"))
        >>> sink.publish(sink.stage([pa.record_batch({"n": [1]})], WriterContext("job-1")))
        >>> published
        [{'n': 1}]
    """

    row_type: RowType
    """The columns of the rows."""

    @property
    def message_class(self) -> type | None:
        """The dataclass of the handles that ``stage`` returns; None: they are JSON values."""
        return None

    @abstractmethod
    def stage(self, batches: Sequence[pa.RecordBatch], context: WriterContext) -> CommitMessage:
        """Stores the rows of a task durably and invisibly, and returns the handle by which ``publish`` and ``discard`` find them.

        An attempt with the same context replaces the rows that were staged before; another ``attempt`` must leave them, because only one of the handles is published. If
        staging fails, no rows may be visible.
        """

    @abstractmethod
    def publish(self, staged: CommitMessage) -> None:
        """Makes the rows of a task visible, after all tasks have staged theirs. Must be idempotent, also after a partial failure."""

    @abstractmethod
    def discard(self, staged: CommitMessage) -> None:
        """Deletes the staged rows of a task. Must be idempotent."""

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        return _StagedProvider(self)


@dataclass(frozen=True)
class _StagedProvider(ArrowSinkProvider):
    sink: StagedTableSink

    @property
    @override
    def message_class(self) -> type | None:
        return self.sink.message_class

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self.sink, context)

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
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
