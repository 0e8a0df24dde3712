"""The file changes of a job: one change per table, shared by all sinks that write to it, and committed at the end of the job."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from table_common.connector import FileSinkProvider
from table_common.gate import current_gate
from table_runtime.files.partition_commit import success_files
from table_runtime.files.partitions import overwritten_files
from table_runtime.files.paths import WHERE, local_path
from table_runtime.files.remote import is_remote
from table_runtime.files.removals import data_files
from table_runtime.files.table_folder import Replaces, TableChange, TableFolder

if TYPE_CHECKING:
    from table_runtime.files.snapshots import Snapshots


class ChangePart:
    """The part of a table's change that one sink writes; the job commits or aborts the whole change."""

    def __init__(self, change: TableChange[Any], number: int) -> None:
        self.change = change
        self._number = number
        self.replaces: Replaces | None = None
        """Selects the files to delete from those that the table had before the job; None deletes none. See ``TableChange.commit``."""

    @property
    def folder(self) -> str:
        """The path or URL of the folder for the files of an engine's own writer."""
        return self.change.folder(self._number)

    def path_of(self, name: str) -> Path:
        """Returns the path at which to write a new file with this name, relative to the table."""
        return self.change.path_of(name, self._number)

    def overwrite(self, provider: FileSinkProvider, folders: Collection[str]) -> None:
        """Replaces the old files (INSERT OVERWRITE): all, or those of the static partition and of the written partitions ``folders``."""
        written = frozenset(folders)

        def replaces(names: Sequence[str]) -> Collection[str]:
            keys, static = provider.partition_keys, provider.static_partition
            old = overwritten_files(names, written, keys, static, provider.partition_default_name)
            return data_files(old, provider.format, provider.path)

        self.replaces = replaces

    def mark_partitions(self, provider: FileSinkProvider, folders: Collection[str]) -> None:
        """Adds the files that mark the written partitions ``folders`` as complete, if the sink has them."""
        for name in success_files(provider, folders):
            with self.path_of(name).open("wb"):
                pass

    def adopt(self) -> list[str]:
        """Adds all files below ``folder`` to the change; returns their names relative to the table."""
        return self.change.adopt(self._number)


class FileChanges:
    """The changes of a job, one per table, even if its sinks name the table differently.

    If two sinks write one table, the rows of both are added, and an OVERWRITE replaces the files from before the job.

    """

    # Differs from Flink: INSERT OVERWRITE in a statement set replaces the files from before the set; in Flink the last sink to end deletes the rows of the
    # other sinks.

    def __init__(self, job_id: str) -> None:
        self._job_id = job_id
        self._parts: dict[Path | str, list[ChangePart]] = {}

    def part(self, path: str) -> ChangePart:
        """Returns a new part of the change of the table at a path or URL.

        Raises:
        TableRuntimeException: the table cannot be written.
        """
        change = folder_at(path).change(self._job_id)
        parts = self._parts.get(change.key)
        if parts is None:
            change.begin()
            parts = self._parts[change.key] = []
        parts.append(ChangePart(parts[0].change if parts else change, len(parts)))
        return parts[-1]

    def commit(self, read: Snapshots | None = None) -> None:
        """Commits all changes, each atomically, one table after the other.

        Args:
            read: the snapshots that the job has read; files added since then are not deleted.

        Raises:
            TableRuntimeException: a change could not be committed; earlier changes are committed, later ones are not.
        """
        own_files = {path for parts in self._parts.values() for path in parts[0].change.new_files()}
        for table, parts in self._parts.items():
            came_since = partial(read.came_since, table) if read is not None and isinstance(table, Path) else None
            replaces = [part.replaces for part in parts if part.replaces is not None]
            parts[0].change.commit(_Replaced(table, replaces, own_files) if replaces else None, came_since)

    def abort(self) -> None:
        """Discards the uncommitted changes; idempotent."""
        while self._parts:
            self._parts.popitem()[1][0].change.abort()


class _Replaced:
    """The files that the sinks of a table replace, except the job's own new files: a table may be in the folder of another one."""

    def __init__(self, table: Path | str, replaces: Sequence[Replaces], own: Collection[str]) -> None:
        self._table = table
        self._replaces = replaces
        self._own = own

    def __call__(self, names: Sequence[str]) -> Collection[str]:
        old = [name for name in names if f"{self._table}/{name}" not in self._own]
        return {name for replaces in self._replaces for name in replaces(old)}


def folder_at(path: str) -> TableFolder:
    """Returns the folder of the table at a path or URL.

    Raises:
        TableException: the path is empty.
        ValidationException: statements of the session must not use it, or its file system is not installed.
    """
    if is_remote(path):
        from table_runtime.files.remote_folder import RemoteFolder  # most tables are on this machine

        return RemoteFolder(current_gate().url(path, WHERE))
    from table_runtime.files.local_folder import LocalFolder  # queries write no table

    return LocalFolder(local_path(path))


def begin_change(path: str, job_id: str) -> TableChange[Any]:
    """Begins and returns the change of a job to the table at a path or URL.

    Raises:
        TableRuntimeException: the table cannot be written.
    """
    change = folder_at(path).change(job_id)
    change.begin()
    return change
