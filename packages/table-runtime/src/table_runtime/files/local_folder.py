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
import shutil
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from table_common.annotation import override
from table_common.durable_files import sync_file, sync_folder
from table_common.exceptions import TableRuntimeException
from table_common.gate import AllowedPath, current_gate
from table_runtime.files.cleaning import clean, drop, roll_back, write_journal, write_note, write_whole
from table_runtime.files.journals import CHANGES, DATA, JOURNAL, MARKER, PREPARED, Change, Note, changes_of
from table_runtime.files.locks import PinnedFolder, own, try_write_lock, write_lock
from table_runtime.files.paths import WHERE
from table_runtime.files.removals import check_removable
from table_runtime.files.snapshots import visible_files
from table_runtime.files.table_folder import CameSince, Replaces, TableChange, TableFolder, missing_file

_FEW_FILES = 16
_SYNC_THREADS = 16


class LocalChange(TableChange[Path]):
    """A change of a table of this machine."""

    table: AllowedPath

    def __init__(self, table: AllowedPath, job_id: str) -> None:
        self._gate = current_gate()
        # A symbolic link to the table stays a link; its target is changed.
        found = self._gate.found(Path(os.path.realpath(table)), WHERE)
        super().__init__(found, found)
        self._staging = self.table / CHANGES / job_id
        self._paths: set[Path] = set()
        self._owned = -1
        self._made_table = False
        self._done = False

    @override
    def begin(self) -> None:
        _check_folder(self.table)
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

    @override
    def folder(self, part: int = 0) -> str:
        return str(self._data(part))

    def _data(self, part: int) -> AllowedPath:
        return self._gate.found(self._staging / DATA / str(part), WHERE)

    @override
    def path_of(self, name: str, part: int = 0) -> Path:
        folder = self._data(part)
        # Staged without partition folders, which would have to be created and removed, unless two files have the same name.
        path = folder / PurePath(name).name
        if path in self._paths:
            path = folder / name
        self._paths.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._stage(name, path)
        return path

    @override
    def adopt(self, part: int = 0) -> list[str]:
        folder = self._data(part)
        try:
            written = visible_files(folder) if folder.exists() else []
        except OSError as error:
            raise self._error(error) from error
        for name, path in written:
            self._stage(name, path)
        return [name for name, _ in written]

    @override
    def commit(self, replaces: Replaces | None = None, came_since: CameSince | None = None) -> None:
        self._commit(replaces, came_since, None)

    def publish(self, note: Note) -> None:
        """Commits the change; whoever cleans up after it writes the note first."""
        self._commit(None, None, note)

    def _commit(self, replaces: Replaces | None, came_since: CameSince | None, note: Note | None) -> None:
        try:
            _sync_all(list(self._staged.values()))
            with write_lock(self.table):
                clean(self.table)
                self._publish(replaces, came_since, note)
        except OSError as error:
            raise self._error(error) from error
        finally:
            if self._done:
                self._disown()

    @override
    def abort(self) -> None:
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

    def _publish(self, replaces: Replaces | None, came_since: CameSince | None, note: Note | None) -> None:
        added = self._added()
        removed: Collection[str] = ()
        if replaces is not None:
            removed = replaces([name for name, _ in visible_files(self.table) if name not in self._staged])
            check_removable(self.table, removed)
            self._check_unchanged(came_since(removed) if came_since is not None else ())
        change = Change(self._staging, self._next_number(), frozenset(added), frozenset(removed), is_committed=False)
        journal: dict[str, Any] = {"number": change.number, "add": sorted(added), "remove": sorted(removed)}
        if note is not None:
            journal["note"] = note
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


class LocalFolder(TableFolder):
    """The folder of a table of this machine."""

    def __init__(self, table: AllowedPath) -> None:
        self._table = table

    @override
    def change(self, job_id: str) -> LocalChange:
        return LocalChange(self._table, job_id)

    @override
    def exists(self) -> bool:
        return self._table.exists()

    @override
    def make(self) -> None:
        _check_folder(self._table)
        self._table.mkdir(parents=True, exist_ok=True)

    @override
    def visible(self) -> Mapping[str, str]:
        return {name: name for name, _ in visible_files(self._table)} if self.exists() else {}

    @override
    def file(self, name: str) -> Path:
        path = self._found(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    @override
    def sync(self, names: Collection[str]) -> None:
        paths = [self._table / name for name in names]
        for path in [*paths, *{path.parent for path in paths}]:
            sync_file(path)

    @override
    def read(self, name: str) -> bytes | None:
        try:
            return self._found(name).read_bytes()
        except FileNotFoundError:
            return None

    @override
    def write(self, name: str, content: bytes) -> None:
        path = self.file(name)
        write_whole(path, content)
        sync_folder(path.parent)

    @override
    def folders(self, name: str) -> Collection[str]:
        root = self._found(name)
        return {path.name for path in root.iterdir() if path.is_dir()} if root.is_dir() else set()

    @override
    def changed(self, name: str) -> int:
        times = [0]
        for path in self._found(name).rglob("*"):
            with suppress(FileNotFoundError):
                times.append(path.stat().st_mtime_ns)
        return max(times)

    @override
    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            path = self._found(name)
            shutil.rmtree(path, ignore_errors=True)
            with suppress(OSError):  # it was a folder, or it stays
                path.unlink()
            for above in PurePath(name).parents[:-1]:
                with suppress(OSError):  # it has other files
                    (self._table / above).rmdir()

    @override
    def publish(self, change_id: str, staged: Mapping[str, str], marks: Sequence[str], note: tuple[str, Mapping[str, Any]]) -> None:
        change = self.change(f"{change_id}-{uuid.uuid4().hex[:8]}")  # what another attempt left may wait for a reader
        change.begin()
        try:
            # Some may be published already, if the process ended before it wrote the note. Others may be about to be removed, with a change that was undone.
            present = {name for name in staged if os.path.lexists(self._table / name)}
            new = staged.keys() - (self.visible().keys() & present if present else present)
            for name in sorted(new):
                path = self._found(staged[name])
                if not path.exists():
                    raise missing_file(self._table, name, staged[name])
                folder, file = os.path.split(name)
                _link(path, change.path_of(os.path.join(folder, f"again-{file}") if name in present else name))
            for name in marks:
                change.path_of(name).touch()
            if new or marks:
                change.publish(note)
        finally:
            change.abort()
        write_note(self._table, note)

    def _found(self, name: str) -> AllowedPath:
        return current_gate().found(self._table / name, WHERE)


def _check_folder(table: Path) -> None:
    if table.exists() and not table.is_dir():
        raise TableRuntimeException(f"The path '{table}' is a file. A table that is written must be a folder.")


def _link(source: Path, target: Path) -> None:
    """Gives a file a second name, so that it is not lost if the process ends before the change is published."""
    try:
        os.link(source, target)
    except (AttributeError, OSError):  # no links on this system, or on this file system
        shutil.copyfile(source, target)


def _sync_all(paths: Sequence[Path]) -> None:
    if len(paths) < _FEW_FILES:
        for path in paths:
            sync_file(path)
        return
    from concurrent.futures import ThreadPoolExecutor  # most changes have few files

    # Threads wait for the disk, which can flush many files concurrently.
    with ThreadPoolExecutor(_SYNC_THREADS) as threads:
        list(threads.map(sync_file, paths))
