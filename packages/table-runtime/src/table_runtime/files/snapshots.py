"""The files of a table as they were at one moment, which stay as long as somebody reads them.

A reader pins the number of the last change that has happened, then reads the journals, lists the folder, and reads the journals again. No
journal goes away that is newer than a pin, so the second time shows every change that the listing may have seen a part of: its files are
left out. Files that a newer change removed are still there, and stay until the pin is taken away.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_runtime.files.journals import CHANGES, Change, changes_of, folders_at, settled_changes, walk
from table_runtime.files.locks import LISTING, READING, PinnedFolder
from table_runtime.files.partitions import partition_values

__all__ = ["Snapshots", "TableSnapshot", "visible_files"]


class TableSnapshot:
    """A table's files, pinned until ``close``, also if nobody calls it any more. A file that is the table is the only one.

    Folders are listed when their files are asked for: all of them, or those of some partitions.

    Raises:
        TableRuntimeException: there is nothing at the path, or a link in it leads back to where it is.
        OSError: the folder cannot be listed.
    """

    def __init__(self, table: Path) -> None:
        self.table = _real(table)
        self._all: list[tuple[str, Path]] | None = None
        self._listed: dict[str, list[tuple[str, Path]]] = {}
        self._folders: dict[tuple[tuple[str, ...], str], dict[str, tuple[str | None, ...]] | None] = {}
        self._folder: PinnedFolder | None = None
        self._number = 0
        self._seen: list[Change] = []
        if self.table.is_file():
            self._all = [(self.table.name, self.table)]
            return
        if not self.table.is_dir():
            raise TableRuntimeException(f"The path '{self.table}' of the table does not exist.", hint="Check the table's option 'path'.")
        self._folder = PinnedFolder(self.table)
        try:
            self._pin()
        except BaseException:
            self._folder.close()
            raise

    def __enter__(self) -> TableSnapshot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        # A pin does not travel: who plans keeps it until all that read have ended.
        return (_no_snapshot, ())

    @property
    def is_open(self) -> bool:
        """Whether the files are pinned."""
        return self._folder is not None

    @property
    def files(self) -> list[tuple[str, Path]]:
        """All files as (name relative to the table, path), sorted by name.

        Raises:
            TableRuntimeException: a link in the folder leads back to where it is.
            OSError: the folder cannot be listed.
        """
        if self._all is None:
            self._all = self._list()
        return self._all

    def partitions(self, keys: Sequence[str], default_name: str) -> list[tuple[str | None, ...]]:
        """Returns the values that folders give to the keys, each combination once.

        Raises:
            TableRuntimeException: a file is in no partition.
            OSError: a folder cannot be listed.
        """
        folders = self._partition_folders(keys, default_name)
        if folders is None:
            folders = {name: tuple(partition_values(PurePath(name), keys, default_name)) for name, _ in self.files}
        return list(dict.fromkeys(folders.values()))

    def files_of(
        self, keys: Sequence[str], default_name: str, partitions: Collection[tuple[str | None, ...]] | None
    ) -> list[tuple[str, Path]]:
        """Returns the files of partitions as in ``files``; None stands for all partitions. Other partitions are not listed.

        Raises:
            TableRuntimeException: as ``files`` and ``partitions``.
            OSError: a folder cannot be listed.
        """
        if partitions is None:
            return self.files
        wanted = frozenset(partitions)
        folders = self._partition_folders(keys, default_name) if self._all is None else None
        if folders is None:
            found = self.files
        else:
            found = sorted(file for name, values in folders.items() if values in wanted for file in self._below(name))
        return [(name, path) for name, path in found if tuple(partition_values(PurePath(name), keys, default_name)) in wanted]

    def came_since(self, names: Iterable[str]) -> set[str]:
        """Returns which of the names are files that were not there when their folder was listed; of folders that were not listed, none."""
        if self._all is not None:
            return set(names).difference(name for name, _ in self._all)
        listed = {name for files in self._listed.values() for name, _ in files}
        folders = tuple(f"{folder}/" for folder in self._listed)
        return {name for name in names if name.startswith(folders) and name not in listed}

    def is_all_there_is(self) -> bool:
        """Returns whether the folder holds the files of this snapshot and no others, now and since it was taken.

        To be asked before ``end_listing``, by those whose own reader lists the folder, after it has done so.
        """
        return not self._seen and (self._folder is None or not changes_of(self.table))

    def end_listing(self) -> None:
        """Lets changes that delete nothing be forgotten, which only a listing of the folder has to know of; not if that may go on."""
        if self._folder is not None and self._all is not None:
            self._folder.unpin(LISTING, self._number)

    def close(self) -> None:
        """Lets files be deleted that newer changes have removed, and deletes them if no other reader needs them."""
        folder, self._folder = self._folder, None
        if folder is None:
            return
        folder.close()
        if (self.table / CHANGES).exists():
            from table_runtime.files.cleaning import try_clean  # few tables are changed while they are read

            try_clean(self.table)

    def __del__(self) -> None:
        with suppress(Exception):  # at the end of the program modules are gone
            self.close()

    def _pin(self) -> None:
        """Pins the number of the newest change that has happened, and remembers the changes as they were then."""
        assert self._folder is not None
        self._seen = settled_changes(self.table)
        while True:
            self._number = _newest(self._seen)
            for kind in (LISTING, READING):
                self._folder.pin(kind, self._number)
            self._seen = settled_changes(self.table)
            if _newest(self._seen) == self._number:
                return
            for kind in (LISTING, READING):
                self._folder.unpin(kind, self._number)

    def _partition_folders(self, keys: Sequence[str], default_name: str) -> dict[str, tuple[str | None, ...]] | None:
        """Returns the folders of partitions with their values; None if they are not the only ones at the level of the last key.

        They are listed once: planning asks for the partitions, statistics and readers for the files of some.
        """
        asked = (tuple(keys), default_name)
        if asked not in self._folders:
            self._folders[asked] = self._listed_folders(keys, default_name)
        return self._folders[asked]

    def _listed_folders(self, keys: Sequence[str], default_name: str) -> dict[str, tuple[str | None, ...]] | None:
        names = folders_at(self.table, len(keys)) if self.table.is_dir() else None
        if names is None:
            return None
        try:
            return {name: tuple(partition_values(PurePath(name, "-"), keys, default_name)) for name in names}
        except TableRuntimeException:
            return None

    def _below(self, folder: str) -> list[tuple[str, Path]]:
        if folder not in self._listed:
            self._listed[folder] = self._list(folder)
        return self._listed[folder]

    def _list(self, folder: str = "") -> list[tuple[str, Path]]:
        found = list(walk(self.table / folder))
        hidden: set[str] = set()
        for change in self._seen:
            hidden |= change.removed if change.is_committed else change.added
        known = {(change.staging, change.number) for change in self._seen}
        for change in changes_of(self.table):
            if (change.staging, change.number) not in known:
                hidden |= change.added
        names = ((str(path.relative_to(self.table)), path) for path in found)
        return sorted((name, path) for name, path in names if name not in hidden)


class Snapshots:
    """The snapshots of one job: all its scans of a table read the same state."""

    def __init__(self) -> None:
        self._snapshots: dict[Path, TableSnapshot] = {}
        self._open: list[TableSnapshot] = []
        self._read: dict[Path, list[TableSnapshot]] = {}

    def of(self, table: Path, planned: object = None) -> TableSnapshot:
        """Returns the job's snapshot of a table, taken when it is first asked for.

        ``planned`` is one that was taken while the job was planned: if that is still open, the plan relies upon it, and it is returned.

        Raises:
            TableRuntimeException: there is nothing at the path.
            OSError: the folder cannot be listed.
        """
        if isinstance(planned, TableSnapshot) and planned.is_open:
            self._keep(planned)
            return planned
        known = self._snapshots.get(_real(table))
        if known is None:
            known = TableSnapshot(table)
            self._keep(known)
        return known

    def came_since(self, table: Path, names: Collection[str]) -> list[str]:
        """Returns which files of a table came since the job has listed them, also after ``close``; none of a table that it has not read."""
        return sorted({name for snapshot in self._read.get(table, ()) for name in snapshot.came_since(names)})

    def end_listing(self) -> None:
        """Says of all snapshots that nobody lists their folders any more."""
        for snapshot in self._open:
            snapshot.end_listing()

    def close(self) -> None:
        """Closes all snapshots; does nothing when called again."""
        self._snapshots.clear()
        while self._open:
            self._open.pop().close()

    def _keep(self, snapshot: TableSnapshot) -> None:
        self._snapshots.setdefault(snapshot.table, snapshot)
        self._open.append(snapshot)
        self._read.setdefault(snapshot.table, []).append(snapshot)


def visible_files(table: Path) -> list[tuple[str, Path]]:
    """Returns (name relative to the table, path) of the table's files at this moment, sorted by name; who reads them takes a snapshot instead.

    Raises:
        TableRuntimeException: there is nothing at the path.
        OSError: the folder cannot be listed.
    """
    with TableSnapshot(table) as snapshot:
        return snapshot.files


def _no_snapshot() -> None:
    """What a snapshot is in another process."""


def _newest(changes: list[Change]) -> int:
    return max((change.number for change in changes if change.is_committed), default=0)


def _real(table: Path) -> Path:
    try:
        return Path(os.path.realpath(table, strict=True))
    except FileNotFoundError:
        return Path(os.path.realpath(table))
    except OSError as error:
        raise TableRuntimeException(f"The path '{table}' of the table cannot be followed: {error.strerror}: '{error.filename}'.") from error
