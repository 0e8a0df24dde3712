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
from table_runtime.files.journals import walk
from table_runtime.sinks.partition_files import PartitionFiles


@dataclass(frozen=True)
class StagedFiles(ArrowSinkProvider):
    """Writes below ``folder``, laid out as in the table."""

    provider: FileSinkProvider
    folder: str

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self.provider, Path(self.folder), context)

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return _Committer(Path(self.folder))


class _Writer(SinkWriter):
    def __init__(self, provider: FileSinkProvider, folder: Path, context: WriterContext) -> None:
        self._folder = folder
        self._written: list[Path] = []
        # Each attempt of a task writes its own files, because two attempts may run at the same time.
        self._files = PartitionFiles(provider, self._path_of, f"part-{context.job_id}-{context.task}-{uuid.uuid4().hex[:8]}")

    def _path_of(self, name: str) -> Path:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._written.append(path)
        return path

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        rows = import_batch(batch)
        if rows.num_rows:
            self._files.write(rows)

    @override
    def prepare_commit(self) -> CommitMessage:
        self._files.close()
        return [str(path) for path in self._written]

    @override
    def abort(self) -> None:
        self._files.abandon()
        for path in self._written:
            path.unlink(missing_ok=True)


class _Committer(SinkCommitter):
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        """Removes the files of failed or duplicate attempts, because the whole folder is published."""
        written = {path for paths in messages for path in cast("list[str]", paths)}
        for path in walk(self._folder):
            if str(path) not in written:
                path.unlink(missing_ok=True)

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        """Does nothing: the whole folder is removed later."""
