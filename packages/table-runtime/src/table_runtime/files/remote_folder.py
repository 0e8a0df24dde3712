"""Changes of a table's files on a remote file system, through fsspec.

``table_folder`` describes the protocol. Writing the journal ``commit.json`` into the staging folder is the commit; then files are moved and deleted. (``local_folder`` needs
renames and locks, which object stores do not have.) The only requirement is that a small
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
import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar, cast

from table_common.annotation import override
from table_common.exceptions import TableError, TableRuntimeException
from table_common.gate import AllowedUrl, Gate
from table_runtime.files.journals import CHANGES, DATA, JOURNAL
from table_runtime.files.owners import OWNER, is_alive, this_process
from table_runtime.files.remote import RemoteFile, RemoteListing, file_state, has_folders, remote_system, staged_name
from table_runtime.files.table_folder import CameSince, Replaces, TableChange, TableFolder, missing_file

LOG = logging.getLogger("table.files")
MARKER = ".table"
"""A hidden file in a table without files: object stores have no empty folders."""
KEPT_SECONDS = 7 * 86_400.0
"""How long files that wait for a commit are kept if it is not known whether their job lives, because it ran on another machine."""
_PATTERN = frozenset("*?[")
_T = TypeVar("_T")


class RemoteChange(TableChange[str]):
    """A change of a table on a remote file system. Files are staged by the names, relative to the table, of where they wait."""

    table: str

    def __init__(self, folder: RemoteFolder, job_id: str) -> None:
        super().__init__(folder.url, folder.key)
        self._folder = folder
        self._staging = f"{CHANGES}/{job_id}"
        self._done = False

    @override
    def begin(self) -> None:
        self._folder.check()
        self._folder.recover(self._staging)
        self._folder.write(f"{self._staging}/{OWNER}", json.dumps(this_process()).encode())

    @override
    def folder(self, part: int = 0) -> str:
        return Gate.derived_url(f"{self.table.rstrip('/')}/{self._data(part)}")

    def _data(self, part: int) -> str:
        return f"{self._staging}/{DATA}/{part}"

    @override
    def path_of(self, name: str, part: int = 0) -> Path:
        where = f"{self._data(part)}/{name}"
        self._stage(name, where)
        return self._folder.file(where)

    @override
    def adopt(self, part: int = 0) -> list[str]:
        written = self._folder.below(self._data(part)).visible()
        for name, where in written.items():
            self._stage(name, f"{self._data(part)}/{where}")
        return sorted(written)

    @override
    def commit(self, replaces: Replaces | None = None, came_since: CameSince | None = None) -> None:
        removed = () if replaces is None else replaces([name for name in self._folder.visible() if name not in self._staged])
        present = self._folder.present(list(self._staged.values()))
        for name, where in self._staged.items():
            if where not in present:
                raise missing_file(self.table, name, where)
        journal = self._write_journal({"remove": sorted(removed)})
        try:
            self._folder.apply(self._staging, journal)
        except TableError:
            # An error would say that nothing has happened, and the rows of a repetition would be there twice.
            LOG.warning(
                "The change of the table at '%s' is committed, but some of its files are not at their place yet. The next job that writes the table "
                "moves them; until then only readers of this project see the change as a whole.",
                self.table,
                exc_info=True,
            )

    def publish(self, staged: Mapping[str, str], marks: Sequence[str], note: tuple[str, Mapping[str, Any]]) -> None:
        """Does what ``TableFolder.publish`` says. Whoever moves the files then writes the note, before the journal is deleted."""
        present = self._folder.present(list(staged.values()))
        for name, where in staged.items():
            if where not in present and not self._folder.has(name):
                raise missing_file(self.table, name, where)
            self._stage(name, where)
        for name in marks:
            with self.path_of(name).open("wb"):
                pass
        self._folder.apply(self._staging, self._write_journal({"remove": [], "note": list(note)}))

    def _write_journal(self, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """Commits the change; returns the journal."""
        journal = {"add": list(self._staged), "staged": self._staged, **content}
        try:
            self._folder.write(f"{self._staging}/{JOURNAL}", json.dumps(journal).encode())
        except TableError:
            # The journal may be written despite the error; if it can be read, the change is committed.
            with suppress(Exception):  # the first error is the one to report
                self._done = self._folder.is_committed(self._staging)
            if not self._done:
                raise
        self._done = True
        return journal

    @override
    def abort(self) -> None:
        if not self._done:
            self._folder.remove([self._staging])


class RemoteFolder(TableFolder):
    """The folder of a table on a remote file system."""

    def __init__(self, url: AllowedUrl) -> None:
        self.url = url
        self._system, root = remote_system(url)
        self._root = root.rstrip("/")
        self._has_folders = has_folders(url)
        self._is_checked = False
        self.key = str(self._system.unstrip_protocol(self._root))
        """The URL as the file system spells it."""

    def below(self, name: str) -> RemoteFolder:
        """Returns the table in a folder below."""
        return RemoteFolder(Gate.derived_url(f"{self.url.rstrip('/')}/{name}"))

    @override
    def change(self, job_id: str) -> RemoteChange:
        return RemoteChange(self, job_id)

    @override
    def exists(self) -> bool:
        return True

    @override
    def make(self) -> None:
        """Does nothing: a file in it makes it."""

    def check(self) -> None:
        """Raises an error if the URL is that of a file.

        Raises:
            TableRuntimeException: it is, or the file system cannot be read.
        """
        if not self._is_checked and self._guarded(lambda: self._system.isfile(self._root)):
            raise TableRuntimeException(f"The path '{self.url}' is a file. A table that is written must be a folder.")
        self._is_checked = True

    @override
    def visible(self) -> Mapping[str, str]:
        found = self._guarded(lambda: RemoteListing(self._system, self._root).visible())
        return {name: path[len(self._root) :].strip("/") for name, path in found}

    @override
    def file(self, name: str) -> Path:
        self.check()
        path = f"{self._root}/{name}"
        self._guarded(lambda: self._make_folder(path))
        return cast("Path", RemoteFile(Gate.derived_url(self._system.unstrip_protocol(path))))

    @override
    def sync(self, names: Collection[str]) -> None:
        """Does nothing: a file is durable when its upload has ended."""

    @override
    def read(self, name: str) -> bytes | None:
        def content() -> bytes | None:
            try:
                return bytes(self._system.cat_file(f"{self._root}/{name}"))
            except FileNotFoundError:
                return None

        return self._guarded(content)

    @override
    def write(self, name: str, content: bytes) -> None:
        self._guarded(lambda: self._put(f"{self._root}/{name}", content))

    @override
    def folders(self, name: str) -> Collection[str]:
        found = (path.partition("/") for path in self._files_in(name))
        return {folder for folder, is_in_folder, _ in found if is_in_folder}

    @override
    def changed(self, name: str) -> int:
        return max((file_state(information)[0] for information in self._files_in(name).values()), default=0)

    def _files_in(self, folder: str) -> Mapping[str, Mapping[str, Any]]:
        """Returns what the file system says of the files in a folder, by their names relative to it."""
        root = f"{self._root}/{folder}"

        def found() -> dict[str, Mapping[str, Any]]:
            try:
                files = self._system.find(root, detail=True)
            except FileNotFoundError:
                return {}
            return {path[len(root) :].strip("/"): information for path, information in files.items()}

        return self._guarded(found)

    @override
    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            self._drop(f"{self._root}/{name}")

    @override
    def publish(self, change_id: str, staged: Mapping[str, str], marks: Sequence[str], note: tuple[str, Mapping[str, Any]]) -> None:
        self.change(change_id).publish(staged, marks, note)

    def present(self, names: Sequence[str]) -> set[str]:
        """Returns which of the names are those of files."""
        folders = {PurePosixPath(name).parts[:2] for name in names}  # each is the folder of a task or of a job

        def found() -> set[str]:
            paths = [path for folder in folders for path in self._system.find(f"{self._root}/{'/'.join(folder)}")]
            return {path[len(self._root) :].strip("/") for path in paths}.intersection(names)

        return self._guarded(found)

    def has(self, name: str) -> bool:
        """Returns whether there is a file with this name."""
        return self._guarded(lambda: bool(self._system.exists(f"{self._root}/{name}")))

    def is_committed(self, staging: str) -> bool:
        """Returns whether the change of a staging folder is committed, and not cleaned up yet."""
        return RemoteListing(self._system, self._root).is_committed(f"{self._root}/{staging}")

    def recover(self, own: str) -> None:
        """Finishes the changes of dead jobs, and removes what they have staged; ``own`` is the staging folder of the caller, which is emptied."""

        def recovered() -> None:
            listing = RemoteListing(self._system, self._root)
            for staging, journal in listing.journals:
                self._apply(staging, journal, is_own=False)
            oldest = (time.time() - KEPT_SECONDS) * 1e9
            for staging in listing.stagings():
                is_old = 0 < listing.changed(staging) < oldest
                if staging == f"{self._root}/{own}" or is_old or not is_alive(self._owner(staging)):
                    self._drop(staging)

        self._guarded(recovered)

    def apply(self, staging: str, journal: Mapping[str, Any]) -> None:
        """Moves and deletes the files of a committed change, then removes its folder."""
        self._guarded(lambda: self._apply(f"{self._root}/{staging}", journal, is_own=True))

    def _owner(self, staging: str) -> object:
        try:
            return json.loads(self._system.cat_file(f"{staging}/{OWNER}"))
        except (OSError, ValueError):
            return None  # it may not be written yet

    def _apply(self, staging: str, journal: Mapping[str, Any], *, is_own: bool) -> None:
        names = {name: staged_name(staging[len(self._root) :].strip("/"), journal, name) for name in journal["add"]}
        present = self.present(list(names.values()))
        moves = {f"{self._root}/{waiting}": f"{self._root}/{name}" for name, waiting in names.items() if waiting in present}
        self._move_all(moves)
        for name in journal["remove"]:
            with suppress(FileNotFoundError):
                self._system.rm_file(f"{self._root}/{name}")
        if not journal["add"]:
            self._put(f"{self._root}/{MARKER}", b"")
        if "note" in journal:
            name, content = journal["note"]
            if is_own or content["epoch"] > self._epoch_of(name):  # its job may have ended it, and be further
                self._put(f"{self._root}/{name}", json.dumps(content).encode())
        # Before the staged files, and with an error if it stays: rows that a later change removes would come back with it.
        with suppress(FileNotFoundError):
            self._system.rm_file(f"{staging}/{JOURNAL}")
        self._drop(staging)

    def _epoch_of(self, note: str) -> int:
        content = self.read(note)
        return -1 if content is None else int(json.loads(content)["epoch"])

    def _move_all(self, moves: Mapping[str, str]) -> None:
        """Moves files; an object store copies them, several at a time, and whoever ends the change deletes the old ones."""
        if self._has_folders:
            for source, target in moves.items():
                with self._moved_by_others([target]):
                    self._move(source, target)
        elif moves:
            with self._moved_by_others(moves.values()):
                self._system.copy(list(moves), list(moves.values()), on_error="raise")

    @contextmanager
    def _moved_by_others(self, targets: Collection[str]) -> Iterator[None]:
        """Allows that files are gone because another job, which finishes the same change, has moved them."""
        try:
            yield
        except FileNotFoundError:
            if not all(map(self._system.exists, targets)):
                raise

    def _move(self, source: str, target: str) -> None:
        self._make_folder(target)
        if _PATTERN.isdisjoint(source):
            self._system.mv(source, target)
        else:  # mv may look for what matches the name
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
            if _PATTERN.isdisjoint(staging):
                self._system.rm(staging, recursive=True)
            else:  # rm would look for what matches the name
                for path in self._system.find(staging):
                    self._system.rm_file(path)

    def _guarded(self, call: Callable[[], _T]) -> _T:
        try:
            return call()
        except TableError:
            raise
        except Exception as error:  # each file system has its own exceptions
            reason = "the file system is read-only" if isinstance(error, NotImplementedError) else f"{type(error).__name__}: {error}"
            raise TableRuntimeException(f"The table at '{self.url}' cannot be written: {reason}.") from error


def _parent(path: str) -> str:
    return str(PurePosixPath(path).parent)
