"""The files of a table as they were at one moment, which stay as long as somebody reads them.

A reader pins the number of the last change that has happened, then reads the journals, lists the folder, and reads the journals again. No journal goes
away that is newer than a pin, so the second time shows every change that the listing may have seen a part of: its files are left out.
Files that a newer change removed are still there, and stay until the pin is taken away.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_runtime.files.journals import CHANGES, Change, changes_of, settled_changes, walk
from table_runtime.files.locks import LISTING, READING, PinnedFolder

__all__ = ["Snapshots", "TableSnapshot", "visible_files"]


class TableSnapshot:
    """A table's files, pinned until ``close``, also if nobody calls it any more. A file that is the table is the only one.

    ``files`` are (name relative to the table, path), sorted by name.

    Raises:
        TableRuntimeException: there is nothing at the path, or a link in it leads back to where it is.
        OSError: the folder cannot be listed.
    """

    def __init__(self, table: Path) -> None:
        self.table = _real(table)
        self.files: list[tuple[str, Path]] = []
        self._folder: PinnedFolder | None = None
        self._number = 0
        self._seen: list[Change] = []
        if self.table.is_file():
            self.files = [(self.table.name, self.table)]
            return
        if not self.table.is_dir():
            raise TableRuntimeException(f"The path '{self.table}' of the table does not exist.", hint="Check the table's option 'path'.")
        self._folder = PinnedFolder(self.table)
        try:
            self._pin()
            self.files = self._list()
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

    def is_all_there_is(self) -> bool:
        """Returns whether the folder holds the files of this snapshot and no others, now and since it was taken.

        To be asked before ``end_listing``, by those whose own reader lists the folder, after it has done so.
        """
        return not self._seen and (self._folder is None or not changes_of(self.table))

    def end_listing(self) -> None:
        """Lets changes that delete nothing be forgotten, which only a listing of the folder has to know of."""
        if self._folder is not None:
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

    def _list(self) -> list[tuple[str, Path]]:
        found = list(walk(self.table))
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
        self.names: dict[Path, frozenset[str]] = {}
        """The names of the files of each table that the job has read, also after ``close``."""

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
        names = frozenset(name for name, _ in snapshot.files)
        self.names[snapshot.table] = names & self.names.get(snapshot.table, names)


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
