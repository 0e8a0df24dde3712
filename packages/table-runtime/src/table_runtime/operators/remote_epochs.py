"""The files of an epoch on a remote file system: they wait in a folder of the job, and one journal publishes all of them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

from table_common.annotation import override
from table_common.connector import CommitContext, CommitMessage, FileSinkProvider, SinkCommitter, WriterContext
from table_common.gate import current_gate
from table_runtime.files.paths import WHERE
from table_runtime.files.remote_write import RemoteWrite
from table_runtime.operators.epoch_parts import job_folder, parts_of

__all__ = ["RemoteCommitter", "RemoteStaging"]


class RemoteStaging:
    """A change of the table that the committer goes on with."""

    def __init__(self, path: str, context: WriterContext) -> None:
        self.name = f"{job_folder(context.job_id)}-{context.epoch}-{context.task}-{context.attempt}-{uuid.uuid4().hex[:8]}"
        self._change = RemoteWrite(current_gate().url(path, WHERE), self.name)
        self._names: list[str] = []

    def path_of(self, name: str) -> Path:
        """Returns where to write the file with this name, relative to the table."""
        if not self._names:
            self._change.begin()
        self._names.append(name)
        return self._change.path_of(name)

    def end(self) -> list[str]:
        """Returns the names of the files."""
        return self._names

    def abort(self) -> None:
        """Removes the files."""
        self._change.abort()


class RemoteCommitter(SinkCommitter):
    def __init__(self, provider: FileSinkProvider, context: CommitContext) -> None:
        self._provider = provider

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        for part in parts_of(messages):
            if part.files:
                change = RemoteWrite(current_gate().url(self._provider.path, WHERE), part.staging)
                if change.resume(part.files):
                    change.commit()

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        for part in parts_of(messages):
            RemoteWrite(current_gate().url(self._provider.path, WHERE), part.staging).abort()
