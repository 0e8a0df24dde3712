"""Snapshots of a table's files, which are not deleted as long as a snapshot of them is open.

A reader pins the number of the last committed change, reads the journals, lists the folder, and reads the journals again. Journals newer
than a pin are not deleted, so the second read has every change of which the listing may have seen a part; the files of such changes are
ignored. Files that a newer change removed still exist, and are kept until the pin is removed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_common.gate import AllowedPath, current_gate
from table_runtime.files.journals import CHANGES, Change, changes_of, folders_at, settled_changes, walk
from table_runtime.files.locks import LISTING, READING, PinnedFolder
from table_runtime.files.partitions import partition_values
from table_runtime.files.paths import WHERE, is_kernel_stream, special_file


class TableSnapshot:
    """A table's files, pinned until ``close`` or garbage collection. The path may also be a single file.

    Folders are listed on demand: all of them, or those of some partitions.

    Raises:
    TableRuntimeException: the path does not exist, its links form a cycle, or it is a pipe, a socket or a device.
    OSError: the folder cannot be listed.
    """

    def __init__(self, table: AllowedPath) -> None:
        self.table = current_gate().found(_real(table), WHERE)
        self._all: list[tuple[str, Path]] | None = None
        self._listed: dict[str, list[tuple[str, Path]]] = {}
        self._folders: dict[tuple[tuple[str, ...], str], dict[str, tuple[str | None, ...]] | None] = {}
        self._folder: PinnedFolder | None = None
        self._number = 0
        self._seen: list[Change] = []
        if self.table.is_file():
            if is_kernel_stream(self.table):
                raise special_file(self.table)
            self._all = [(self.table.name, self.table)]
            return
        if not self.table.is_dir():
            if self.table.exists():
                raise special_file(self.table)
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
        # Pins cannot be pickled: the planning process holds them until all readers have ended.
        return (_no_snapshot, ())

    @property
    def is_open(self) -> bool:
        """Whether the files are pinned."""
        return self._folder is not None

    @property
    def files(self) -> list[tuple[str, Path]]:
        """All files as (name relative to the table, path), sorted by name.

        Raises:
            TableRuntimeException: a symbolic link in the folder leads to a folder above it.
            OSError: the folder cannot be listed.
        """
        if self._all is None:
            self._all = self._list()
        return self._all

    def partitions(self, keys: Sequence[str], default_name: str) -> list[tuple[str | None, ...]]:
        """Returns the distinct combinations of partition values.

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
        """Returns the files of some partitions (None: of all), as ``files`` does. Other partitions are not listed.

        Raises:
            TableRuntimeException: as ``files`` and ``partitions``.
            OSError: a folder cannot be listed.
        """
        if partitions is None:
            return self.files
        selected = frozenset(partitions)
        folders = self._partition_folders(keys, default_name) if self._all is None else None
        if folders is None:
            candidates = self.files
        else:
            candidates = sorted(file for name, values in folders.items() if values in selected for file in self._below(name))
        return [(name, path) for name, path in candidates if tuple(partition_values(PurePath(name), keys, default_name)) in selected]

    def came_since(self, names: Iterable[str]) -> set[str]:
        """Returns which of the names are files that were added after their folder was listed; none for folders that were not listed."""
        if self._all is not None:
            return set(names).difference(name for name, _ in self._all)
        listed = {name for files in self._listed.values() for name, _ in files}
        folders = tuple(f"{folder}/" for folder in self._listed)
        return {name for name in names if name.startswith(folders) and name not in listed}

    def is_all_there_is(self) -> bool:
        """Returns whether the folder has had exactly the files of this snapshot since it was taken.

        For engines whose own reader lists the folder: call it after that listing and before ``end_listing``.
        """
        return not self._seen and (self._folder is None or not changes_of(self.table))

    def end_listing(self) -> None:
        """Removes the pin that only listings need, so that journals without removals can go; does nothing unless all files are listed."""
        if self._folder is not None and self._all is not None:
            self._folder.unpin(LISTING, self._number)

    def close(self) -> None:
        """Removes the pins, and deletes files that newer changes have removed if no other reader needs them."""
        folder, self._folder = self._folder, None
        if folder is None:
            return
        folder.close()
        if (self.table / CHANGES).exists():
            from table_runtime.files.cleaning import try_clean  # few tables are changed while they are read

            try_clean(self.table)

    def __del__(self) -> None:
        with suppress(Exception):  # modules may be unloaded when the interpreter exits
            self.close()

    def _pin(self) -> None:
        """Pins the number of the newest committed change, and stores the changes at that moment."""
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
        """Returns the folders of partitions with their values; None if other files or folders exist at the levels of the keys.

        The result is cached: planning needs the partitions, statistics and readers need the files of some partitions.
        """
        cache_key = (tuple(keys), default_name)
        if cache_key not in self._folders:
            self._folders[cache_key] = self._listed_folders(keys, default_name)
        return self._folders[cache_key]

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
        paths = list(walk(self.table / folder))
        hidden: set[str] = set()
        for change in self._seen:
            hidden |= change.removed if change.is_committed else change.added
        known = {(change.staging, change.number) for change in self._seen}
        for change in changes_of(self.table):
            if (change.staging, change.number) not in known:
                hidden |= change.added
        names = ((str(path.relative_to(self.table)), path) for path in paths)
        return sorted((name, path) for name, path in names if name not in hidden)


class Snapshots:
    """The snapshots of one job: all its scans of a table read the same state."""

    def __init__(self) -> None:
        self._snapshots: dict[Path, TableSnapshot] = {}
        self._open: list[TableSnapshot] = []
        self._read: dict[Path, list[TableSnapshot]] = {}
        self._scans: list[Callable[[], None]] = []

    def close_with(self, close: Callable[[], None]) -> None:
        """Calls ``close`` when the job ends: what a connector's scan opened to plan its splits is open until then."""
        self._scans.append(close)

    def take_scans(self) -> list[Callable[[], None]]:
        """Returns what ``close_with`` added, for rows that outlive the translation; the caller calls it."""
        taken, self._scans = self._scans, []
        return taken

    def of(self, table: AllowedPath, planned: object = None) -> TableSnapshot:
        """Returns the job's snapshot of a table, taken at the first call.

        ``planned`` is a snapshot from the planning of the job. If it is still open, it is returned, because the plan relies on it.

        Raises:
        TableRuntimeException: the path does not exist.
            OSError: the folder cannot be listed.
        """
        if isinstance(planned, TableSnapshot) and planned.is_open:
            self._add(planned)
            return planned
        snapshot = self._snapshots.get(_real(table))
        if snapshot is None:
            snapshot = TableSnapshot(table)
            self._add(snapshot)
        return snapshot

    def came_since(self, table: Path, names: Collection[str]) -> list[str]:
        """Returns which files were added to a table after the job listed it, also after ``close``; none for tables that it has not read."""
        return sorted({name for snapshot in self._read.get(table, ()) for name in snapshot.came_since(names)})

    def end_listing(self) -> None:
        """Calls ``end_listing`` of all snapshots."""
        for snapshot in self._open:
            snapshot.end_listing()

    def close(self) -> None:
        """Closes all snapshots; idempotent."""
        self._snapshots.clear()
        while self._open:
            self._open.pop().close()
        while self._scans:
            self._scans.pop()()

    def _add(self, snapshot: TableSnapshot) -> None:
        self._snapshots.setdefault(snapshot.table, snapshot)
        self._open.append(snapshot)
        self._read.setdefault(snapshot.table, []).append(snapshot)


def visible_files(table: AllowedPath) -> list[tuple[str, Path]]:
    """Returns (name relative to the table, path) of the table's current files, sorted by name. Readers use a snapshot instead.

    Raises:
        TableRuntimeException: there is nothing at the path.
        OSError: the folder cannot be listed.
    """
    with TableSnapshot(table) as snapshot:
        return snapshot.files


def _no_snapshot() -> None:
    """Unpickles a snapshot: other processes have none."""


def _newest(changes: list[Change]) -> int:
    return max((change.number for change in changes if change.is_committed), default=0)


def _real(table: Path) -> Path:
    try:
        return Path(os.path.realpath(table, strict=True))
    except FileNotFoundError:
        return Path(os.path.realpath(table))
    except OSError as error:
        raise TableRuntimeException(f"The path '{table}' of the table cannot be resolved: {error.strerror}: '{error.filename}'.") from error
