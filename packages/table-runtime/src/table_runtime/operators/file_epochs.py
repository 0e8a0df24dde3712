"""The files of a table that a job without an end writes: a change of the table per epoch."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.annotation import override
from table_common.arrow import import_batch
from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    CommitMessage,
    FileSinkProvider,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.frozen_dataclass import dataclass
from table_runtime.files.changes import begin_change
from table_runtime.operators.partition_files import PartitionFiles

__all__ = ["FileEpochs"]


@dataclass(frozen=True)
class FileEpochs(ArrowSinkProvider):
    """Writes staged files, which the commit of the epoch publishes. The messages are for the process that wrote the files."""

    provider: FileSinkProvider

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self.provider, context)

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return _Committer()


class _Writer(SinkWriter):
    def __init__(self, provider: FileSinkProvider, context: WriterContext) -> None:
        name = f"{context.job_id}-{context.epoch}-{context.task}"
        self._change = begin_change(provider.path, name)
        self._files = PartitionFiles(provider, self._change.path_of, f"part-{name}")

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        rows = import_batch(batch)
        if rows.num_rows:
            self._files.write(rows)

    @override
    def prepare_commit(self) -> CommitMessage:
        self._files.close()
        return self._change

    @override
    def abort(self) -> None:
        self._files.abandon()
        self._change.abort()


class _Committer(SinkCommitter):
    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        for change in messages:
            change.commit()  # type: ignore[attr-defined]

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        for change in messages:
            change.abort()  # type: ignore[attr-defined]
