"""The file changes of a job: one change per table, shared by all sinks that write to it, and committed at the end of the job."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from table_common.connector import FileSinkProvider
from table_runtime.files.commit import Replaces, StagedWrite
from table_runtime.files.partitions import overwritten_files
from table_runtime.files.paths import local_path
from table_runtime.files.remote import is_remote
from table_runtime.files.removals import data_files

if TYPE_CHECKING:
    from table_runtime.files.remote_write import RemoteWrite
    from table_runtime.files.snapshots import Snapshots

__all__ = ["ChangePart", "FileChanges", "begin_change"]


class ChangePart:
    """What one sink adds to its table, and what it replaces there; commit and abort are of the job."""

    def __init__(self, change: StagedWrite | RemoteWrite, number: int) -> None:
        self.change = change
        self._number = number
        self.replaces: Replaces | None = None
        """Which of the files go that the table had before the job; names as in ``StagedWrite.commit``."""

    @property
    def folder(self) -> Path:
        """Where an engine's own writer puts files, of a table on this machine; it is there."""
        assert isinstance(self.change, StagedWrite)
        folder = self.change.folder(self._number)
        folder.mkdir(exist_ok=True)
        return folder

    def path_of(self, name: str) -> Path:
        """Returns where a new file with this name relative to the table is to be written."""
        return self.change.path_of(name, self._number)

    def overwrite(self, provider: FileSinkProvider, folders: Collection[str]) -> None:
        """Has INSERT OVERWRITE's files replaced: all, or those of the partitions that are named or, as ``folders`` relative to the table, written."""
        written = frozenset(folders)

        def replaces(names: Sequence[str]) -> Collection[str]:
            keys, static = provider.partition_keys, provider.static_partition
            old = overwritten_files(names, written, keys, static, provider.partition_default_name)
            return data_files(old, provider.format, provider.path)

        self.replaces = replaces

    def adopt(self) -> list[str]:
        """Takes all files below ``folder`` into the change; returns their names relative to the table."""
        assert isinstance(self.change, StagedWrite)
        return self.change.adopt(self._number)


class FileChanges:
    """The changes of a job.

    Of two sinks that write one table, whatever they call it, the rows of both come, and an OVERWRITE replaces what was there before.
    """

    # Differs from Flink: INSERT OVERWRITE in a statement set replaces the files that were there before the set; in Flink the last sink that ends deletes the others' rows.

    def __init__(self, job_id: str) -> None:
        self._job_id = job_id
        self._parts: dict[Path | str, list[ChangePart]] = {}

    def part(self, path: str) -> ChangePart:
        """Returns where a sink writes to the table at a path or URL.

        Raises:
            TableRuntimeException: nothing can be written there.
        """
        change = _change(path, self._job_id)
        parts = self._parts.get(change.table)
        if parts is None:
            change.begin()
            parts = self._parts[change.table] = []
        parts.append(ChangePart(parts[0].change if parts else change, len(parts)))
        return parts[-1]

    def commit(self, read: Snapshots | None = None) -> None:
        """Publishes all changes, each as a whole, one table after the other.

        Args:
            read: what the job has read.

        Raises:
            TableRuntimeException: a change could not be published; those before it have happened, and those behind it have not.
        """
        own = {path for parts in self._parts.values() for path in parts[0].change.new_files()}
        for table, parts in self._parts.items():
            came_since = partial(read.came_since, table) if read is not None and isinstance(table, Path) else None
            replaces = [part.replaces for part in parts if part.replaces is not None]
            parts[0].change.commit(_Replaced(table, replaces, own) if replaces else None, came_since)

    def abort(self) -> None:
        """Removes what was written and not committed; does nothing when called again."""
        while self._parts:
            self._parts.popitem()[1][0].change.abort()


class _Replaced:
    """All that the sinks of a table replace, without what the job itself writes: a table's folder may be inside of another's."""

    def __init__(self, table: Path | str, replaces: Sequence[Replaces], own: Collection[Path]) -> None:
        self._table = table
        self._replaces = replaces
        self._own = own

    def __call__(self, names: Sequence[str]) -> Collection[str]:
        table = self._table
        old = [name for name in names if not isinstance(table, Path) or table / name not in self._own]
        return {name for replaces in self._replaces for name in replaces(old)}


def begin_change(path: str, job_id: str) -> StagedWrite | RemoteWrite:
    """Returns the change of a job, begun, of the table at a path or URL.

    Raises:
        TableRuntimeException: nothing can be written there.
    """
    change = _change(path, job_id)
    change.begin()
    return change


def _change(path: str, job_id: str) -> StagedWrite | RemoteWrite:
    if is_remote(path):
        from table_runtime.files.remote_write import RemoteWrite as Remote  # most tables are on this machine

        return Remote(path, job_id)
    return StagedWrite(local_path(path), job_id)
