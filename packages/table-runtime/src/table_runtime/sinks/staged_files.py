"""Staged files that distributed tasks write; the process that began the change publishes them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import cast

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
from table_runtime.files import TableFolder, folder_at
from table_runtime.sinks.partition_files import PartitionFiles


@dataclass(frozen=True)
class StagedFiles(ArrowSinkProvider):
    """Writes below ``folder``, a path or a URL, laid out as in the table."""

    provider: FileSinkProvider
    folder: str

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self.provider, folder_at(self.folder), context)

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return _Committer(folder_at(self.folder))


class _Writer(SinkWriter):
    def __init__(self, provider: FileSinkProvider, folder: TableFolder, context: WriterContext) -> None:
        self._folder = folder
        self._written: list[str] = []
        # Each attempt of a task writes its own files, because two attempts may run at the same time.
        self._files = PartitionFiles(provider, self._path_of, f"part-{context.job_id}-{context.task}-{uuid.uuid4().hex[:8]}")

    def _path_of(self, name: str) -> Path:
        self._written.append(name)
        return self._folder.file(name)

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        rows = import_batch(batch)
        if rows.num_rows:
            self._files.write(rows)

    @override
    def prepare_commit(self) -> CommitMessage:
        self._files.close()
        return self._written

    @override
    def abort(self) -> None:
        self._files.abandon()
        self._folder.remove(self._written)


class _Committer(SinkCommitter):
    def __init__(self, folder: TableFolder) -> None:
        self._folder = folder

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        """Removes the files of failed or duplicate attempts, because the whole folder is published."""
        written = {name for names in messages for name in cast("list[str]", names)}
        self._folder.remove(name for name in self._folder.visible() if name not in written)

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        """Does nothing: the whole folder is removed later."""
