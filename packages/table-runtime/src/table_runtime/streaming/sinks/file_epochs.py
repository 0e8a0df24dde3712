"""The files of a table that an unbounded job writes: a change of the table per epoch.

An epoch's files wait in a hidden folder of the table, ``.table-epochs/<job>/<epoch>-<task>-<attempt>-<random>``, which belongs to the job and not to the process, so that
another process can commit them. Each attempt of a task has a folder of its own, since several may write at the same time. The commit links them into a change of the table, publishes that, and notes the epoch in ``committed.json`` beside.
On a remote file system a journal in the folder of the table publishes them (``remote_epochs.py``).
"""

from __future__ import annotations

import json
import os
import shutil
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

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
from table_common.durable_files import sync_file, sync_folder
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.gate import current_gate
from table_runtime.files.changes import begin_change
from table_runtime.files.partition_commit import complete_partitions, success_files
from table_runtime.files.paths import WHERE, local_path
from table_runtime.files.remote import is_remote
from table_runtime.files.snapshots import visible_files
from table_runtime.sinks.partition_files import PartitionFiles
from table_runtime.streaming.sinks.epoch_parts import COMMITTED, EPOCHS, KEPT_SECONDS, EpochPart, attempt_folder, job_folder, parts_of
from table_runtime.streaming.sinks.remote_epochs import RemoteCommitter, RemoteStaging


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
        staging = RemoteStaging if is_remote(self.provider.path) else _LocalStaging
        return _Writer(self.provider, context, staging(self.provider.path, context))

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return (RemoteCommitter if is_remote(self.provider.path) else _LocalCommitter)(self.provider, context)


class _LocalStaging:
    """The folder of one attempt of a task in one epoch; it is made with the first file."""

    def __init__(self, path: str, context: WriterContext) -> None:
        table = local_path(path)
        if table.exists() and not table.is_dir():
            raise TableRuntimeException(f"The path '{table}' is a file. A table that is written must be a folder.")
        table.mkdir(parents=True, exist_ok=True)
        self._job = current_gate().found(table / EPOCHS / job_folder(context.job_id), WHERE)
        self.name = attempt_folder(context)
        self._folder = self._job / self.name
        self._paths: list[Path] = []

    def path_of(self, name: str) -> Path:
        """Returns where to write the file with this name, relative to the table."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._paths.append(path)
        return path

    def end(self) -> list[str]:
        """Makes the files durable; returns their names."""
        for path in [*self._paths, *{path.parent for path in self._paths}]:
            sync_file(path)
        return [str(path.relative_to(self._folder)) for path in self._paths]

    def abort(self) -> None:
        """Removes the files."""
        _remove([self._folder])


class _Writer(SinkWriter):
    def __init__(self, provider: FileSinkProvider, context: WriterContext, staging: _LocalStaging | RemoteStaging) -> None:
        self._staging = staging
        self._watermark: int | None = None
        prefix = f"part-{job_folder(context.job_id)}-{context.epoch}-{context.task}"
        self._files = PartitionFiles(provider, staging.path_of, prefix, provider.rolling)

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
        folders = sorted(self._files.folders)
        return EpochPart(self._staging.name, self._staging.end(), folders, time.time_ns() // 1_000_000, self._watermark)

    @override
    def abort(self) -> None:
        self._files.abandon()
        self._staging.abort()


class _LocalCommitter(SinkCommitter):
    def __init__(self, provider: FileSinkProvider, context: CommitContext) -> None:
        self._provider = provider
        self._epoch = context.epoch
        self._table = local_path(provider.path)
        self._job = current_gate().found(self._table / EPOCHS / job_folder(context.job_id), WHERE)
        self._change = f"{job_folder(context.job_id)}-{context.epoch}-{uuid.uuid4().hex[:8]}"

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        parts = parts_of(messages)
        folders = [self._job / part.staging for part in parts]
        note = self._read()
        if self._epoch > note["epoch"]:
            files = {name: folder / name for folder, part in zip(folders, parts, strict=True) for name in part.files}
            began, complete = _partitions(self._provider, note["partitions"], parts)
            if files or complete:
                self._publish(files, success_files(self._provider, complete))
            open_ = {name: first for name, first in began.items() if name not in complete}
            if files or open_ != note["partitions"]:
                self._write({"epoch": self._epoch, "partitions": open_})
        _remove([*folders, *self._left_over()])

    def _left_over(self) -> list[Path]:
        """Returns the folders of attempts that nobody will commit: epochs are committed in order, so those of this epoch and of earlier ones."""
        epochs = ((path, path.name.partition("-")[0]) for path in self._job.glob("*-*"))
        return [path for path, epoch in epochs if epoch.isdigit() and int(epoch) <= self._epoch]

    def _publish(self, files: Mapping[str, Path], marks: Sequence[str]) -> None:
        change = begin_change(self._provider.path, self._change)
        try:
            # Some may be published already, if the process ended before it wrote the note. Others may be about to be removed, with a change that was undone.
            present = {name for name in files if os.path.lexists(self._table / name)}
            published = present.intersection(name for name, _ in visible_files(self._table)) if present else present
            new = {name: path for name, path in files.items() if name not in published}
            missing = [name for name, path in new.items() if not path.exists()]
            if missing:
                raise TableRuntimeException(
                    f"The table at '{self._table}' lacks the file '{missing[0]}' of epoch {self._epoch}, and it is not in '{self._job}' either.",
                    hint=f"Something else removed it. Keep the folder '{EPOCHS}' of a table that a job writes.",
                )
            for name, path in new.items():
                folder, file = os.path.split(name)
                _link(path, change.path_of(os.path.join(folder, f"again-{file}") if name in present else name))
            for name in marks:
                change.path_of(name).touch()
            if new or marks:
                change.commit()
        finally:
            change.abort()

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        _remove([*(self._job / part.staging for part in parts_of(messages)), *self._left_over()])

    def _read(self) -> dict[str, Any]:
        """Returns the last committed epoch, and the partitions that are not complete with the times of their first rows."""
        path = self._job / COMMITTED
        try:
            note: dict[str, Any] = json.loads(path.read_text())
        except FileNotFoundError:
            return {"epoch": -1, "partitions": {}}
        except ValueError as error:
            raise TableRuntimeException(
                f"The file '{path}' is damaged, so it is not known which epochs of the job are committed: {error}.",
                hint='Look which files of the job the table has, part-<job>-<epoch>-…, and write the last epoch: {"epoch": 7, "partitions": {}}.',
            ) from error
        return note

    def _write(self, note: dict[str, Any]) -> None:
        if not (self._job / COMMITTED).exists():
            _forget(self._job.parent)
            self._job.mkdir(parents=True, exist_ok=True)
        draft = self._job / f"{COMMITTED}.draft"
        with draft.open("w") as file:
            json.dump(note, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, self._job / COMMITTED)
        sync_folder(self._job)


def _partitions(provider: FileSinkProvider, known: dict[str, int], parts: Sequence[EpochPart]) -> tuple[dict[str, int], list[str]]:
    """Returns the partitions with rows since they were complete, each with the time of its first row, and those that are complete now."""
    if provider.partition_commit is None:
        return {}, []
    began = dict(known)
    for part in parts:
        for folder in part.folders:
            began.setdefault(folder, part.time)
    watermarks = [part.watermark for part in parts if part.watermark is not None]
    watermark = min(watermarks, default=None)  # where several tasks write, one of them has that of all
    return began, complete_partitions(provider, began, max((part.time for part in parts), default=0), watermark)


def _link(source: Path, target: Path) -> None:
    """Gives a file a second name, so that it is not lost if the process ends before the change is published."""
    try:
        os.link(source, target)
    except (AttributeError, OSError):  # no links on this system, or on this file system
        shutil.copyfile(source, target)


def _remove(folders: Iterable[Path]) -> None:
    """Removes staging folders, and the folders above them that are empty then."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        for above in (folder.parent, folder.parent.parent):
            with suppress(OSError):  # it has other files
                above.rmdir()


def _forget(epochs: Path) -> None:
    """Removes the notes of jobs that have not written for long, such as those whose epochs ended with their process."""
    oldest = time.time() - KEPT_SECONDS
    for note in epochs.glob(f"*/{COMMITTED}"):
        with suppress(OSError):
            if note.stat().st_mtime < oldest and len(os.listdir(note.parent)) == 1:
                note.unlink()
                note.parent.rmdir()
