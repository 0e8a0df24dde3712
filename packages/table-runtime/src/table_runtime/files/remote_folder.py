"""Changes of a table's files on a remote file system, through fsspec.

Files are written below a hidden folder of the table, ``.staging-<job>``. Writing the journal there is the commit; then files are moved and
deleted. (``table_runtime.files.local_folder`` needs renames and locks, which object stores do not have.) The only requirement is that a small
file, once it is closed, can be read completely, as on object stores. A partially written journal is not valid JSON and is ignored.

Guarantees:

- Our readers see a change completely or not at all, even if the job dies at any moment: they apply the journals, and the next job that writes the table finishes
  them.
- Other readers skip the hidden folder but do not know the journals: they see the files of a change appear one by one. On object stores a move is a copy.
- There is no lock: jobs that add rows do not disturb each other, but a job that replaces files must be the only one that writes.
- Files of a job that died before its commit stay hidden until a job on the same machine changes the table, or another one does so some days later.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar, cast

from table_common.annotation import override
from table_common.connector.sink.abilities import StagedTable
from table_common.exceptions import TableError, TableRuntimeException
from table_common.gate import AllowedUrl, Gate
from table_runtime.files.journals import DATA, JOURNAL
from table_runtime.files.local_folder import CameSince, Replaces
from table_runtime.files.owners import OWNER, is_alive, this_process
from table_runtime.files.remote import PREFIX, RemoteFile, RemoteListing, file_state, has_folders, remote_system, staged_name
from table_runtime.files.removals import data_files

MARKER = ".table"
"""A hidden file in a table without files: object stores have no empty folders."""
KEPT_SECONDS = 7 * 86_400.0
"""How long files that wait for a commit are kept if it is not known whether their job lives, because it ran on another machine."""
_T = TypeVar("_T")


class RemoteChange:
    """One job's change of one table: the remote counterpart of ``LocalChange``."""

    def __init__(self, url: AllowedUrl, job_id: str) -> None:
        self.table = url
        self._system, self._root = remote_system(url)
        self._root = self._root.rstrip("/")
        self._has_folders = has_folders(url)
        self._staging = f"{self._root}/{PREFIX}{job_id}"
        self._names: list[str] = []
        self._done = False

    def begin(self) -> None:
        """Creates the staging folder, after cleaning up the changes of dead jobs.

        Raises:
            TableRuntimeException: the URL is a file, or the file system cannot be written.
        """
        self.check_folder()
        self._guarded(self._recover)
        self._guarded(lambda: self._put(f"{self._staging}/{OWNER}", json.dumps(this_process()).encode()))

    def check_folder(self) -> None:
        """Raises an error if the URL is that of a file.

        Raises:
            TableRuntimeException: it is, or the file system cannot be read.
        """
        if self._guarded(lambda: self._system.isfile(self._root)):
            raise TableRuntimeException(f"The path '{self.table}' is a file. A table that is written must be a folder.")

    def path_of(self, name: str, part: int = 0) -> Path:
        """Returns the file at which to write a new file with this name, relative to the table; a ``RemoteFile`` instead of a path."""
        self._names.append(name)
        return self.hidden_file(f"{PurePosixPath(self._staging).name}/{DATA}/{name}")

    def hidden_file(self, name: str) -> Path:
        """Returns a file with this name, relative to the table, in a folder that exists then; a ``RemoteFile`` instead of a path."""
        path = f"{self._root}/{name}"
        self._guarded(lambda: self._make_folder(path))
        return cast("Path", RemoteFile(Gate.derived_url(self._system.unstrip_protocol(path))))

    def publish(self, staged: Mapping[str, str], note: tuple[str, Mapping[str, Any]]) -> None:
        """Atomically adds files that another process may have written: names in the table to names of files, both relative to the table.

        Whoever moves the files then writes ``note``, the name and the content of a file, before the journal is deleted. The staged files stay if a move is a copy.

        Raises:
            TableRuntimeException: a file is missing, or the file system cannot be written.
        """
        self._guarded(lambda: self._publish(staged, note))

    def _publish(self, staged: Mapping[str, str], note: tuple[str, Mapping[str, Any]]) -> None:
        present = self._present(list(staged.values()))
        for name, waiting in staged.items():
            if waiting not in present and not self._system.exists(f"{self._root}/{name}"):
                raise TableRuntimeException(
                    f"The table at '{self.table}' lacks the file '{name}' of a job, and it is not staged either.",
                    hint=f"Something else removed it. Keep the folders '{PREFIX}…' and '{PurePosixPath(waiting).parts[0]}' of a table that a job writes.",
                )
        self._names = list(staged)
        self._write_journal({"add": self._names, "remove": [], "staged": dict(staged), "note": list(note)})

    def read(self, name: str) -> bytes | None:
        """Returns the content of a file, relative to the table; None if there is none."""

        def content() -> bytes | None:
            try:
                return bytes(self._system.cat_file(f"{self._root}/{name}"))
            except FileNotFoundError:
                return None

        return self._guarded(content)

    def folders(self, name: str) -> dict[str, int]:
        """Returns the names of the folders in a folder, relative to the table, with the time in nanoseconds since 1970 at which one of their files was written last."""
        root = f"{self._root}/{name}"

        def listed() -> dict[str, int]:
            try:
                found = self._system.find(root, detail=True)
            except FileNotFoundError:
                return {}
            folders: dict[str, int] = {}
            for path, information in found.items():
                folder, is_in_folder, _ = path[len(root) :].strip("/").partition("/")
                if is_in_folder:
                    folders[folder] = max(folders.get(folder, 0), file_state(information)[0])
            return folders

        return self._guarded(listed)

    def remove(self, name: str) -> None:
        """Removes a hidden folder, relative to the table, with its files. A failure is ignored: later calls try again."""
        self._drop(f"{self._root}/{name}")

    def existing(self) -> list[str]:
        """Returns the names of the table's files, relative to it; none if there is no table yet."""
        return [name for name, _ in self._guarded(lambda: RemoteListing(self._system, self._root).visible())]

    def new_files(self) -> list[Path]:
        """Returns nothing: remote files are in no local folder."""
        return []

    def commit(self, replaces: Replaces | None = None, came_since: CameSince | None = None) -> None:
        """Atomically adds the written files and removes the files that ``replaces`` selects, even if the process dies meanwhile.

        ``came_since`` is ignored: concurrent writers are not detected.
        """
        removed = () if replaces is None else replaces([name for name in self.existing() if name not in self._names])
        present = self._guarded(lambda: self._present([f"{PurePosixPath(self._staging).name}/{DATA}/{name}" for name in self._names]))
        if len(present) < len(set(self._names)):
            raise TableRuntimeException(
                f"The table at '{self.table}' lacks files of this job: {len(set(self._names)):,} were written, and {len(present):,} are left.",
                hint=f"Something else removed them. Keep the folders '{PREFIX}…' of a table that a job writes.",
            )
        self._write_journal({"add": self._names, "remove": sorted(removed)})

    def _write_journal(self, journal: Mapping[str, Any]) -> None:
        try:
            self._guarded(lambda: self._put(f"{self._staging}/{JOURNAL}", json.dumps(journal).encode()))
        except TableError:
            # The journal may be written despite the error; if it can be read, the change is committed.
            with suppress(Exception):  # the first error is the one to report
                self._done = RemoteListing(self._system, self._root).is_committed(self._staging)
            if not self._done:
                raise
        self._done = True
        self._guarded(lambda: self._apply(self._staging, journal))

    def abort(self) -> None:
        """Discards the written files; the table is unchanged. Does nothing after ``commit``."""
        if not self._done:
            self._drop(self._staging)

    def take(self, path: str, name: str) -> None:
        """Moves a file of the same file system into the change, under a name relative to the table."""
        target = f"{self._staging}/{DATA}/{name}"
        self._guarded(lambda: self._move(path, target))
        self._names.append(name)

    def _recover(self) -> None:
        listing = RemoteListing(self._system, self._root)
        for staging, journal in listing.journals:
            self._apply(staging, journal, is_own=False)
        oldest = (time.time() - KEPT_SECONDS) * 1e9
        for staging in listing.stagings():
            if staging == self._staging or 0 < listing.changed(staging) < oldest or not is_alive(self._owner(staging)):
                self._drop(staging)

    def _owner(self, staging: str) -> object:
        try:
            return json.loads(self._system.cat_file(f"{staging}/{OWNER}"))
        except (OSError, ValueError):
            return None  # it may not be written yet

    def _apply(self, staging: str, journal: Mapping[str, Any], *, is_own: bool = True) -> None:
        names = {name: staged_name(PurePosixPath(staging).name, journal, name) for name in journal["add"]}
        present = self._present(list(names.values()))
        moves = {f"{self._root}/{waiting}": f"{self._root}/{name}" for name, waiting in names.items() if waiting in present}
        try:
            self._move_all(moves)
        except FileNotFoundError:  # another job finishes the same change
            if not all(self._system.exists(final) for final in moves.values()):
                raise
        for name in journal["remove"]:
            with suppress(FileNotFoundError):
                self._system.rm_file(f"{self._root}/{name}")
        if not journal["add"]:
            self._put(f"{self._root}/{MARKER}", b"")
        if "note" in journal and (
            is_own or self._system.exists(f"{staging}/{JOURNAL}")
        ):  # otherwise its job has ended it, and may be further
            name, content = journal["note"]
            self._put(f"{self._root}/{name}", json.dumps(content).encode())
        self._drop(staging)

    def _present(self, names: Sequence[str]) -> set[str]:
        """Returns which of the names, relative to the table, are those of files."""
        folders = {PurePosixPath(name).parts[:2] for name in names}  # each is the folder of a task or of a job
        found = [path for folder in folders for path in self._system.find(f"{self._root}/{'/'.join(folder)}")]
        return {path[len(self._root) :].strip("/") for path in found}.intersection(names)

    def _move_all(self, moves: Mapping[str, str]) -> None:
        """Moves files; an object store copies them, several at a time, and whoever ends the change deletes the old ones."""
        if self._has_folders:
            for source, target in moves.items():
                self._move(source, target)
        elif moves:
            self._system.copy(list(moves), list(moves.values()), on_error="raise")

    def _move(self, source: str, target: str) -> None:
        if self._has_folders:
            self._make_folder(target)
            self._system.mv(source, target)
        else:
            self._system.cp_file(source, target)
            self._system.rm_file(source)

    def _put(self, path: str, content: bytes) -> None:
        self._make_folder(path)
        self._system.pipe_file(path, content)

    def _make_folder(self, path: str) -> None:
        """Makes the folder of a file. On an object store that would make a bucket that does not exist."""
        if self._has_folders:
            self._system.makedirs(_parent(path), exist_ok=True)

    def _drop(self, staging: str) -> None:
        with suppress(Exception):  # the folder is hidden, and the next job tries again
            self._system.rm(staging, recursive=True)

    def _guarded(self, call: Callable[[], _T]) -> _T:
        try:
            return call()
        except TableError:
            raise
        except Exception as error:  # each file system has its own exceptions
            reason = "the file system is read-only" if isinstance(error, NotImplementedError) else f"{type(error).__name__}: {error}"
            raise TableRuntimeException(f"The table at '{self.table}' cannot be written: {reason}.") from error


class RemoteStagedFolder(StagedTable):
    """The staging folder ``path`` of CREATE TABLE AS: a hidden folder inside of the table's folder, which may be a whole bucket."""

    def __init__(self, url: AllowedUrl) -> None:
        self._table = Gate.derived_url(url.rstrip("/"))
        self._id = uuid.uuid4().hex
        self.path = Gate.derived_url(f"{self._table}/.ctas-{self._id}")

    @override
    def begin(self) -> None:
        system, root = remote_system(self._table)
        if system.isfile(root):
            raise TableRuntimeException(f"The path '{self._table}' is a file. A table that is written must be a folder.")

    @override
    def commit(self) -> None:
        change = RemoteChange(self._table, self._id)
        change.begin()
        try:
            for name, path in RemoteListing(*remote_system(self.path)).visible():
                change.take(path, name)
            change.commit(lambda names: data_files(names, None, self._table))
        finally:
            change.abort()
            self.abort()

    @override
    def abort(self) -> None:
        system, root = remote_system(self.path)
        with suppress(Exception):  # nothing was written, or the folder is hidden
            system.rm(root, recursive=True)


def _parent(path: str) -> str:
    return str(PurePosixPath(path).parent)
