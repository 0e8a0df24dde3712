"""Atomic changes of a table's files, with concurrent readers and writers.

A job writes its files below a hidden folder of the table, ``.table-changes/<job>``, which it owns by a lock. The commit holds the table's
write lock:

1. It writes a journal, ``prepared.json``, with the files to add and to remove. From now on readers ignore the files to add.
2. It moves the new files to their final paths.
3. It renames the journal to ``commit.json``. This is the commit: readers see the new files and ignore the removed ones.
4. It deletes the old files, then the staging folder. If a reader has pinned an older state, this is deferred to the end of that reader
   or to the next writer.

A job that dies leaves a folder without an owner. The next writer rolls back a prepared change, finishes a committed one, and removes the
remaining files; until then readers apply the journals. See ``snapshots`` for the reader's side and ``cleaning`` for the cleanup.
"""

from __future__ import annotations

import filecmp
import os
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from table_common.durable_files import sync_file, sync_folder
from table_common.exceptions import TableRuntimeException
from table_common.gate import AllowedPath, current_gate
from table_runtime.files.cleaning import clean, drop, roll_back, write_journal
from table_runtime.files.journals import CHANGES, DATA, JOURNAL, MARKER, PREPARED, Change, changes_of, walk
from table_runtime.files.locks import PinnedFolder, own, try_write_lock, write_lock
from table_runtime.files.paths import WHERE
from table_runtime.files.removals import check_removable
from table_runtime.files.snapshots import visible_files

Replaces = Callable[[Sequence[str]], Collection[str]]
"""Selects the files to delete; names are relative to the table."""
CameSince = Callable[[Collection[str]], Sequence[str]]
"""Selects the files that were added after the job read the table; names are relative to the table."""

_FEW_FILES = 16
_SYNC_THREADS = 16


class LocalChange:
    """One job's change of one table: begin it, write files to ``path_of`` names, then commit or abort. Abort after commit does nothing.

    Each sink of the job that writes the table has its own ``part``. Equal file names in two parts fail at the commit.
    """

    def __init__(self, table: AllowedPath, job_id: str) -> None:
        self._gate = current_gate()
        # A symbolic link to the table stays a link; its target is changed.
        self.table = self._gate.found(Path(os.path.realpath(table)), WHERE)
        self._staging = self.table / CHANGES / job_id
        self._staged: dict[str, Path] = {}
        self._paths: set[Path] = set()
        self._owned = -1
        self._made_table = False
        self._done = False

    def begin(self) -> None:
        """Creates the staging folder, after cleaning up the changes of dead jobs.

        Raises:
            TableRuntimeException: the path is a file or cannot be written.
        """
        if self.table.exists() and not self.table.is_dir():
            raise TableRuntimeException(f"The path '{self.table}' is a file. A table that is written must be a folder.")
        try:
            self._made_table = not self.table.exists()
            with write_lock(self.table):
                clean(self.table)
                self._gate.found(self._staging, WHERE)
                self._staging.mkdir(parents=True)
                self._owned = own(self._staging)
                (self._staging / MARKER).touch()
                (self._staging / DATA).mkdir()
        except OSError as error:
            self.abort()
            raise self._error(error) from error

    def folder(self, part: int = 0) -> Path:
        """Returns the folder for the files of an engine's own writer, laid out as in the table; ``adopt`` adds them to the change."""
        return self._staging / DATA / str(part)

    def path_of(self, name: str, part: int = 0) -> Path:
        """Returns the path at which to write a new file with this name, relative to the table."""
        folder = self.folder(part)
        # Staged without partition folders, which would have to be created and removed, unless two files have the same name.
        path = folder / PurePath(name).name
        if path in self._paths:
            path = folder / name
        self._paths.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._stage(name, path)
        return path

    def adopt(self, part: int = 0) -> list[str]:
        """Adds all files below ``folder`` that are not hidden to the change; returns their names, sorted.

        Raises:
            TableRuntimeException: the folder cannot be read.
        """
        folder = self.folder(part)
        try:
            written = {str(path.relative_to(folder)): path for path in walk(folder)} if folder.exists() else {}
        except OSError as error:
            raise self._error(error) from error
        for name, path in written.items():
            self._stage(name, path)
        return sorted(written)

    def new_files(self) -> list[Path]:
        """Returns the paths of this change's files after the commit."""
        return [self.table / name for name in self._staged]

    def commit(self, replaces: Replaces | None = None, came_since: CameSince | None = None) -> None:
        """Atomically adds the written files and removes the files that ``replaces`` selects, even if the process dies meanwhile.

        Args:
            replaces: receives the current files of the table, except those of this change; None removes none.
            came_since: selects files that were added after the job read the table; if ``replaces`` selects one of them, the commit fails.

        Raises:
            TableRuntimeException: the change is not committed.
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
        """Discards the written files; the table is unchanged."""
        if self._done or self._owned < 0:
            return
        with suppress(OSError):
            drop(self._staging)
        self._disown()
        with try_write_lock(self.table) as is_held, suppress(OSError):  # other jobs may write the table, too
            if is_held:
                self._staging.parent.rmdir()
                if self._made_table:
                    self.table.rmdir()

    def _stage(self, name: str, path: Path) -> None:
        if self._staged.setdefault(name, path) != path:
            raise TableRuntimeException(f"Two writers of one job wrote the same file '{name}' of the table at '{self.table}'.")

    def _publish(self, replaces: Replaces | None, came_since: CameSince | None) -> None:
        added = self._added()
        removed: Collection[str] = ()
        if replaces is not None:
            removed = replaces([name for name, _ in visible_files(self.table) if name not in self._staged])
            check_removable(self.table, removed)
            self._check_unchanged(came_since(removed) if came_since is not None else ())
        change = Change(self._staging, self._next_number(), frozenset(added), frozenset(removed), is_committed=False)
        journal = {"number": change.number, "add": sorted(added), "remove": sorted(removed)}
        self._gate.found_all([self.table / folder for folder in {str(PurePath(name).parent) for name in added}], WHERE)
        write_journal(self._staging, PREPARED, journal)
        try:
            for name, path in added.items():
                final = self.table / name
                final.parent.mkdir(parents=True, exist_ok=True)
                os.rename(path, final)
            os.rename(self._staging / PREPARED, self._staging / JOURNAL)
        except BaseException:
            if not (self._staging / JOURNAL).exists():
                self._done = True  # from here on the next job cleans up as the journal says
                with suppress(OSError):
                    roll_back(change)
                    clean(self.table)
                raise
        self._done = True
        with suppress(OSError):  # remaining files are hidden, and the next writer tries again
            sync_folder(self._staging)
            clean(self.table)

    def _added(self) -> dict[str, Path]:
        """Returns the files to move. A job that is repeated under the same name may have moved them already."""
        added = {}
        for name, path in self._staged.items():
            final = self.table / name
            if not os.path.lexists(final):
                added[name] = path
            elif not final.is_file() or not filecmp.cmp(path, final, shallow=False):
                # Checked before the journal lists the file as ours, because a rollback deletes the listed files.
                raise FileExistsError(f"the file '{name}' exists")
        return added

    def _check_unchanged(self, new: Sequence[str]) -> None:
        if new:
            raise TableRuntimeException(
                f"Another job changed the table at '{self.table}' after this job read it, so its files cannot be replaced. "
                f"New files: {len(new)}, such as '{new[0]}'.",
                hint="Run the statement again, so that it reads the current files.",
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
            sync_file(path)
        return
    from concurrent.futures import ThreadPoolExecutor  # most changes have few files

    # Threads wait for the disk, which can flush many files concurrently.
    with ThreadPoolExecutor(_SYNC_THREADS) as threads:
        list(threads.map(sync_file, paths))
