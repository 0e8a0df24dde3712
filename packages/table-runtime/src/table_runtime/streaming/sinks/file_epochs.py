"""The files of a table that an unbounded job writes: a change of the table per epoch.

An epoch's files wait in a hidden folder of the table, ``.table-epochs/<job>/<epoch>-<task>-<attempt>-<random>``, which belongs to the job and not to the process, so that
another process can commit them. Each attempt of a task has a folder of its own, since several may write at the same time. The commit publishes them together and notes the
epoch in ``committed.json`` beside (``TableFolder.publish``).
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

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
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_runtime.files import folder_at
from table_runtime.files.journals import leads_out
from table_runtime.files.partition_commit import complete_partitions, success_files
from table_runtime.sinks.partition_files import PartitionFiles

EPOCHS = ".table-epochs"
"""The folder of the epochs of all jobs, in the folder of the table."""
_COMMITTED = "committed.json"
"""The note of a job in its folder: the last epoch that is committed, and the partitions that are not complete with the times of their first rows."""
_KEPT_SECONDS = 7 * 86_400.0
"""How long the note of a job that writes no more is kept."""
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class EpochPart:
    """The message of a task: its files, by their names in the table, where they wait, the partitions with rows, and when and with which watermark it ended."""

    staging: str
    files: list[str]
    folders: list[str]
    time: int
    watermark: int | None


@dataclass(frozen=True)
class FileEpochs(ArrowSinkProvider):
    """Writes staged files, which the commit of the epoch publishes. The messages are enough for another process to commit."""

    provider: FileSinkProvider

    @property
    @override
    def message_class(self) -> type:
        return EpochPart

    @property
    @override
    def commits_empty_epochs(self) -> bool:
        return self.provider.partition_commit is not None

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self.provider, context)

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return _Committer(self.provider, context)


class _Writer(SinkWriter):
    def __init__(self, provider: FileSinkProvider, context: WriterContext) -> None:
        job = _job_name(context.job_id)
        self._table = folder_at(provider.path)
        self._table.make()
        self._staging = f"{context.epoch}-{context.task}-{context.attempt}-{uuid.uuid4().hex[:8]}"
        self._folder = f"{EPOCHS}/{job}/{self._staging}"
        self._names: list[str] = []
        self._watermark: int | None = None
        self._files = PartitionFiles(provider, self._path_of, f"part-{job}-{context.epoch}-{context.task}", provider.rolling)

    def _path_of(self, name: str) -> Path:
        self._names.append(name)
        return self._table.file(f"{self._folder}/{name}")

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        rows = import_batch(batch)
        if rows.num_rows:
            self._files.write(rows)

    @override
    def write_watermark(self, watermark: int) -> None:
        self._watermark = watermark

    @override
    def prepare_commit(self) -> CommitMessage:
        self._files.close()
        self._table.sync([f"{self._folder}/{name}" for name in self._names])
        return EpochPart(self._staging, self._names, sorted(self._files.folders), time.time_ns() // 1_000_000, self._watermark)

    @override
    def abort(self) -> None:
        self._files.abandon()
        self._table.remove([self._folder])


class _Committer(SinkCommitter):
    def __init__(self, provider: FileSinkProvider, context: CommitContext) -> None:
        job = _job_name(context.job_id)
        self._provider = provider
        self._epoch = context.epoch
        self._table = folder_at(provider.path)
        self._job = f"{EPOCHS}/{job}"
        self._note = f"{self._job}/{_COMMITTED}"
        self._change = f"{job}-{context.epoch}"

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        parts = _parts_of(messages)
        epoch, partitions = self._committed()
        if self._epoch > epoch:
            staged = {name: f"{self._job}/{part.staging}/{name}" for part in parts for name in part.files}
            began, complete = self._partitions(partitions, parts)
            left = {name: first for name, first in began.items() if name not in complete}
            note = {"epoch": self._epoch, "partitions": left}
            if staged or complete:
                self._table.publish(self._change, staged, success_files(self._provider, complete), (self._note, note))
            elif left != partitions:
                self._table.write(self._note, json.dumps(note).encode())
        self._remove(parts)

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        self._remove(_parts_of(messages))

    def _committed(self) -> tuple[int, dict[str, int]]:
        """Returns the last committed epoch, -1 if there is none, and the partitions that are not complete with the times of their first rows."""
        content = self._table.read(self._note)
        if content is None:
            self._forget()
            return -1, {}
        try:
            note = json.loads(content)
            return int(note["epoch"]), dict(note.get("partitions", {}))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise TableRuntimeException(
                f"The file '{self._provider.path}/{self._note}' is damaged, so it is not known which epochs of the job are committed: {error}.",
                hint='Look which files of the job the table has, part-<job>-<epoch>-…, and write the last epoch: {"epoch": 7, "partitions": {}}.',
            ) from error

    def _partitions(self, known: dict[str, int], parts: Sequence[EpochPart]) -> tuple[dict[str, int], list[str]]:
        """Returns the partitions with rows since they were complete, each with the time of its first row, and those that are complete now."""
        if self._provider.partition_commit is None:
            return {}, []
        began = dict(known)
        for part in parts:
            for folder in part.folders:
                began.setdefault(folder, part.time)
        # Where several tasks write, one of them has the watermark of all.
        watermark = min((part.watermark for part in parts if part.watermark is not None), default=None)
        return began, complete_partitions(self._provider, began, max((part.time for part in parts), default=0), watermark)

    def _remove(self, parts: Sequence[EpochPart]) -> None:
        """Removes the folders of some attempts, and of those that nobody will commit: epochs are committed in order, so those of this epoch and of earlier ones."""
        epochs = ((name, name.partition("-")[0]) for name in self._table.folders(self._job))
        left = {name for name, epoch in epochs if epoch.isdigit() and int(epoch) <= self._epoch}
        self._table.remove(f"{self._job}/{name}" for name in sorted(left.union(part.staging for part in parts)))

    def _forget(self) -> None:
        """Removes the notes of jobs that have not written for long, such as those whose epochs ended with their process."""
        oldest = (time.time() - _KEPT_SECONDS) * 1e9
        for job in (f"{EPOCHS}/{name}" for name in self._table.folders(EPOCHS)):
            if 0 < self._table.changed(job) < oldest and not self._table.folders(job):
                self._table.remove([job])


def _job_name(job_id: str) -> str:
    """Returns the job's id as a part of the names of files: it may have any characters, and any length."""
    name = quote(job_id, safe=" ")
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:_LONGEST_NAME]}-{hashlib.sha256(job_id.encode()).hexdigest()[:12]}"


def _parts_of(messages: Sequence[CommitMessage]) -> list[EpochPart]:
    """Returns the messages of an epoch.

    Raises:
        TableRuntimeException: one names files outside the table.
    """
    parts = [message for message in messages if isinstance(message, EpochPart)]
    for part in parts:
        for name in (part.staging, *part.files):
            if leads_out(name) or (name == part.staging and len(Path(name).parts) != 1):
                raise TableRuntimeException(f"A commit message names '{name}', which is not in the folder of the table.")
    return parts
