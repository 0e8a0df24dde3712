"""The files of an epoch on a remote file system: they wait in a folder of the job, and one journal publishes all of them.

They are where those of a local table are, and belong to the job, too. The journal (``table_runtime.files.remote_folder``) names them and the note ``committed.json``,
so whoever finishes the change of a process that died writes the note: an epoch that is committed again then does nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from table_common.annotation import override
from table_common.connector import CommitContext, CommitMessage, FileSinkProvider, SinkCommitter, WriterContext
from table_common.exceptions import TableRuntimeException
from table_common.gate import current_gate
from table_runtime.files.paths import WHERE
from table_runtime.files.remote_folder import RemoteChange
from table_runtime.streaming.sinks.epoch_parts import COMMITTED, EPOCHS, KEPT_SECONDS, attempt_folder, job_folder, parts_of


class RemoteStaging:
    """The folder of one attempt of a task in one epoch; an object store has it with the first file."""

    def __init__(self, path: str, context: WriterContext) -> None:
        self.name = attempt_folder(context)
        self._folder = f"{EPOCHS}/{job_folder(context.job_id)}/{self.name}"
        self._change = RemoteChange(current_gate().url(path, WHERE), self.name)
        self._names: list[str] = []

    def path_of(self, name: str) -> Path:
        """Returns where to write the file with this name, relative to the table."""
        if not self._names:
            self._change.check_folder()
        self._names.append(name)
        return self._change.hidden_file(f"{self._folder}/{name}")

    def end(self) -> list[str]:
        """Returns the names of the files."""
        return self._names

    def abort(self) -> None:
        """Removes the files."""
        self._change.remove(self._folder)


class RemoteCommitter(SinkCommitter):
    def __init__(self, provider: FileSinkProvider, context: CommitContext) -> None:
        self._epoch = context.epoch
        job = job_folder(context.job_id)
        self._job = f"{EPOCHS}/{job}"
        self._change = RemoteChange(current_gate().url(provider.path, WHERE), f"{job}-{context.epoch}")

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        parts = parts_of(messages)
        last = self._last_epoch()
        if last is None:
            self._forget()
        staged = {name: f"{self._job}/{part.staging}/{name}" for part in parts for name in part.files}
        if staged and self._epoch > (-1 if last is None else last):
            self._change.publish(staged, (f"{self._job}/{COMMITTED}", {"epoch": self._epoch}))
        for folder in {*(part.staging for part in parts), *self._left_over()}:
            self._change.remove(f"{self._job}/{folder}")

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        for folder in {*(part.staging for part in parts_of(messages)), *self._left_over()}:
            self._change.remove(f"{self._job}/{folder}")

    def _last_epoch(self) -> int | None:
        """Returns the last committed epoch; None if there is none yet."""
        content = self._change.read(f"{self._job}/{COMMITTED}")
        try:
            return None if content is None else int(json.loads(content)["epoch"])
        except (ValueError, KeyError, TypeError) as error:
            raise TableRuntimeException(
                f"The file '{self._change.table}/{self._job}/{COMMITTED}' is damaged, so it is not known which epochs of the job are committed: {error}.",
                hint='Look which files of the job the table has, part-<job>-<epoch>-…, and write the last epoch: {"epoch": 7}.',
            ) from error

    def _left_over(self) -> list[str]:
        """Returns the folders of attempts that nobody will commit: epochs are committed in order, so those of this epoch and of earlier ones."""
        epochs = ((name, name.partition("-")[0]) for name in self._change.folders(self._job))
        return [name for name, epoch in epochs if epoch.isdigit() and int(epoch) <= self._epoch]

    def _forget(self) -> None:
        """Removes the notes of jobs that have not written for long, such as those whose epochs ended with their process."""
        oldest = (time.time() - KEPT_SECONDS) * 1e9
        for job, changed in self._change.folders(EPOCHS).items():
            if 0 < changed < oldest and not self._change.folders(f"{EPOCHS}/{job}"):
                self._change.remove(f"{EPOCHS}/{job}")
