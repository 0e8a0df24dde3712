"""Atomic changes of a table's files, with concurrent readers and writers.

A job writes its files below a hidden folder of the table, ``.table-changes/<job>``, which it owns by a lock. To commit, it does under the
table's write lock:

1. It writes a journal, ``prepared.json``: which files come, which go. From now on readers do not count the new ones.
2. It moves the new files to their places.
3. It renames the journal to ``commit.json``. That is the moment at which the change has happened: the new files count, the old ones do not.
4. It deletes the old files, then the staging folder. If a reader has pinned an older state, that is left to whoever comes later:
   the reader at its end, or the next writer.

A job that dies leaves a folder without an owner. The next writer undoes what was prepared, finishes what was committed, and removes the
rest; until then readers go by the journals. See ``snapshots`` for the reader's side and ``cleaning`` for what is left to do.
"""

from __future__ import annotations

import filecmp
import os
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from table_common.exceptions import TableRuntimeException
from table_runtime.files.cleaning import clean, drop, roll_back, write_journal
from table_runtime.files.journals import CHANGES, DATA, JOURNAL, MARKER, PREPARED, Change, changes_of, walk
from table_runtime.files.locks import PinnedFolder, own, try_write_lock, write_lock
from table_runtime.files.removals import check_removable
from table_runtime.files.snapshots import visible_files

__all__ = ["CameSince", "Replaces", "StagedWrite"]

Replaces = Callable[[Sequence[str]], Collection[str]]
"""Gives which of the names of a table's files, relative to it, go."""
CameSince = Callable[[Collection[str]], Sequence[str]]
"""Gives which of the names of a table's files, relative to it, are of files that a job has not found when it read the table."""

_FEW_FILES = 16
_SYNC_THREADS = 16


class StagedWrite:
    """One job's change of one table. Begin it, write files to ``path_of`` names, then commit or abort; abort after commit does nothing.

    A job that writes a table in several places gives each a ``part``: their files may have the same names until the commit, when they are
    an error.
    """

    def __init__(self, table: Path, job_id: str) -> None:
        # A link to the table stays a link: what it points to changes.
        self.table = Path(os.path.realpath(table))
        self._staging = self.table / CHANGES / job_id
        self._staged: dict[str, Path] = {}
        self._paths: set[Path] = set()
        self._owned = -1
        self._made_table = False
        self._done = False

    def begin(self) -> None:
        """Makes the staging folder, after finishing or removing what dead jobs left.

        Raises:
            TableRuntimeException: the path is a file or cannot be written.
        """
        if self.table.exists() and not self.table.is_dir():
            raise TableRuntimeException(f"The path '{self.table}' is a file; a table that is written must be a folder.")
        try:
            self._made_table = not self.table.exists()
            with write_lock(self.table):
                clean(self.table)
                self._staging.mkdir(parents=True)
                self._owned = own(self._staging)
                (self._staging / MARKER).touch()
                (self._staging / DATA).mkdir()
        except OSError as error:
            self.abort()
            raise self._error(error) from error

    def folder(self, part: int = 0) -> Path:
        """Returns where an engine's own writer puts files, laid out as in the table; they count when ``adopt`` has been called."""
        return self._staging / DATA / str(part)

    def path_of(self, name: str, part: int = 0) -> Path:
        """Returns where a new file with this name relative to the table is to be written."""
        folder = self.folder(part)
        # Without the folders of partitions, which would have to be made and removed; names of files seldom meet.
        path = folder / PurePath(name).name
        if path in self._paths:
            path = folder / name
        self._paths.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._stage(name, path)
        return path

    def adopt(self, part: int = 0) -> list[str]:
        """Takes all files below ``folder`` that readers would see into the change; returns their names, sorted.

        Raises:
            TableRuntimeException: the folder cannot be read.
        """
        folder = self.folder(part)
        try:
            found = {str(path.relative_to(folder)): path for path in walk(folder)} if folder.exists() else {}
        except OSError as error:
            raise self._error(error) from error
        for name, path in found.items():
            self._stage(name, path)
        return sorted(found)

    def new_files(self) -> list[Path]:
        """Returns where the files of this change are once it is committed."""
        return [self.table / name for name in self._staged]

    def commit(self, replaces: Replaces | None = None, came_since: CameSince | None = None) -> None:
        """Publishes all files written and removes those that ``replaces`` gives; when it returns, or dies half-way, it is whole.

        Args:
            replaces: is given the files that the table has now, without those of this change; None: no file goes.
            came_since: gives which files came since the job has read the table, if it has: such files are not removed.

        Raises:
            TableRuntimeException: the change has not happened.
        """
        try:
            _sync_all(list(self._staged.values()))
            with write_lock(self.table):
                clean(self.table)
                self._publish(replaces, came_since)
        except OSError as error:
            raise self._error(error) from error
        finally:
            if self._done:
                self._disown()

    def abort(self) -> None:
        """Removes what was written; the table is as it was."""
        if self._done or self._owned < 0:
            return
        with suppress(OSError):
            drop(self._staging)
        self._disown()
        with try_write_lock(self.table) as is_held, suppress(OSError):  # others write it, too
            if is_held:
                self._staging.parent.rmdir()
                if self._made_table:
                    self.table.rmdir()

    def _stage(self, name: str, path: Path) -> None:
        if self._staged.setdefault(name, path) != path:
            raise TableRuntimeException(f"Two writers of one job have written the file '{name}' of the table at '{self.table}'.")

    def _publish(self, replaces: Replaces | None, came_since: CameSince | None) -> None:
        added = self._added()
        removed: Collection[str] = ()
        if replaces is not None:
            removed = replaces([name for name, _ in visible_files(self.table) if name not in self._staged])
            check_removable(self.table, removed)
            self._check_unchanged(came_since(removed) if came_since is not None else ())
        change = Change(self._staging, self._next_number(), frozenset(added), frozenset(removed), is_committed=False)
        journal = {"number": change.number, "add": sorted(added), "remove": sorted(removed)}
        write_journal(self._staging, PREPARED, journal)
        try:
            for name, path in added.items():
                final = self.table / name
                final.parent.mkdir(parents=True, exist_ok=True)
                os.rename(path, final)
            os.rename(self._staging / PREPARED, self._staging / JOURNAL)
        except BaseException:
            if not (self._staging / JOURNAL).exists():
                self._done = True  # from here on the journal says what is to be done, by whoever comes next
                with suppress(OSError):
                    roll_back(change)
                    clean(self.table)
                raise
        self._done = True
        with suppress(OSError):  # what is left is hidden, and the next writer tries again
            _sync(self._staging)
            clean(self.table)

    def _added(self) -> dict[str, Path]:
        """Returns the files that are moved: a job that is run again under its name has them in place."""
        added = {}
        for name, path in self._staged.items():
            final = self.table / name
            if not os.path.lexists(final):
                added[name] = path
            elif not final.is_file() or not filecmp.cmp(path, final, shallow=False):
                # Found out before the journal says that the name is ours: what is taken back later is never somebody else's.
                raise FileExistsError(f"the file '{name}' exists")
        return added

    def _check_unchanged(self, new: Sequence[str]) -> None:
        if new:
            raise TableRuntimeException(
                f"The table at '{self.table}' was changed by another job while this one read it and was to replace it: {len(new)} files came, "
                f"such as '{new[0]}'.",
                hint="Run the statement again: it reads what the table holds now.",
            )

    def _next_number(self) -> int:
        folder = PinnedFolder(self.table)
        try:
            return max(folder.highest_pin(), *(change.number for change in changes_of(self.table)), 0) + 1
        finally:
            folder.close()

    def _disown(self) -> None:
        owned, self._owned = self._owned, -1
        if owned >= 0:
            os.close(owned)

    def _error(self, error: OSError) -> TableRuntimeException:
        return TableRuntimeException(f"The table at '{self.table}' cannot be written: {error}")


def _sync_all(paths: Sequence[Path]) -> None:
    if len(paths) < _FEW_FILES:
        for path in paths:
            _sync(path)
        return
    from concurrent.futures import ThreadPoolExecutor  # most changes have few files

    # Threads wait for the disk, which takes many files at once.
    with ThreadPoolExecutor(_SYNC_THREADS) as threads:
        list(threads.map(_sync, paths))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
