"""Changes of a table's files on a remote file system, through fsspec.

Files are written below a hidden folder of the table, ``.staging-<job>``. Writing the journal there is the commit; then files are moved and
deleted. (``table_runtime.files.commit`` needs renames and locks, which object stores do not have.) The only requirement is that a small
file, once it is closed, can be read completely, as on object stores. A partially written journal is not valid JSON and is ignored.

Guarantees:

- Our readers see a change completely or not at all, even if the job dies at any moment: they apply the journals, and the next job that
writes the table finishes them. - Other readers skip the hidden folder but do not know the journals: they see the files of a change appear
one by one. On object stores a move is a copy. - Only one job may change a table at a time: there is no lock. - Files of a job that died
before its commit stay hidden until a job on the same machine changes the table.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar, cast

from table_common.annotation import override
from table_common.connector.sink.abilities import StagedTable
from table_common.exceptions import TableError, TableRuntimeException
from table_common.gate import AllowedUrl, Gate
from table_runtime.files.commit import CameSince, Replaces
from table_runtime.files.journals import DATA, JOURNAL
from table_runtime.files.owners import OWNER, is_alive, this_process
from table_runtime.files.remote import PREFIX, RemoteFile, RemoteListing, remote_system
from table_runtime.files.removals import data_files

__all__ = ["RemoteStagedFolder", "RemoteWrite"]

MARKER = ".table"
"""A hidden file in a table without files: object stores have no empty folders."""
_T = TypeVar("_T")


class RemoteWrite:
    """One job's change of one table: the remote counterpart of ``StagedWrite``."""

    def __init__(self, url: AllowedUrl, job_id: str) -> None:
        self.table = url
        self._system, self._root = remote_system(url)
        self._root = self._root.rstrip("/")
        self._staging = f"{self._root}/{PREFIX}{job_id}"
        self._names: list[str] = []
        self._done = False

    def begin(self) -> None:
        """Creates the staging folder, after cleaning up the changes of dead jobs.

        Raises:
            TableRuntimeException: the URL is a file, or the file system cannot be written.
        """
        if self._guarded(lambda: self._system.isfile(self._root)):
            raise TableRuntimeException(f"The path '{self.table}' is a file. A table that is written must be a folder.")
        self._guarded(self._recover)
        self._guarded(lambda: self._put(f"{self._staging}/{OWNER}", json.dumps(this_process()).encode()))

    def path_of(self, name: str, part: int = 0) -> Path:
        """Returns the file at which to write a new file with this name, relative to the table; a ``RemoteFile`` instead of a path."""
        path = f"{self._staging}/{DATA}/{name}"
        self._guarded(lambda: self._system.makedirs(_parent(path), exist_ok=True))
        self._names.append(name)
        return cast("Path", RemoteFile(Gate.derived_url(self._system.unstrip_protocol(path))))

    def resume(self, names: Sequence[str]) -> bool:
        """Goes on with a change that another process has written: ``commit`` publishes the files. False: it is committed already.

        Raises:
            TableRuntimeException: the file system cannot be read, or files are missing.
        """
        paths = [f"{self._staging}/{DATA}/{name}" for name in names]
        staged = [path for path in paths if self._guarded(lambda path=path: self._system.exists(path))]  # type: ignore[misc]
        if len(staged) < len(paths) and not self._guarded(lambda: RemoteListing(self._system, self._root).is_committed(self._staging)):
            lost = [name for name in names if not self._guarded(lambda name=name: self._system.exists(f"{self._root}/{name}"))]  # type: ignore[misc]
            if staged or lost:
                raise TableRuntimeException(
                    f"The table at '{self.table}' lacks the file '{(lost or list(names))[0]}' of a job, and it is not staged either.",
                    hint=f"Something else removed it. Keep the folders '{PREFIX}…' of a table that a job writes.",
                )
            return False
        self._names = list(names)
        return True

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
        journal = {"add": self._names, "remove": sorted(removed)}
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
            self._apply(staging, journal)
        for staging in listing.stagings():
            if staging == self._staging or not is_alive(self._owner(staging)):
                self._drop(staging)

    def _owner(self, staging: str) -> object:
        try:
            return json.loads(self._system.cat_file(f"{staging}/{OWNER}"))
        except (OSError, ValueError):
            return None  # it may not be written yet

    def _apply(self, staging: str, journal: Mapping[str, Any]) -> None:
        for name in journal["add"]:
            staged, final = f"{staging}/{DATA}/{name}", f"{self._root}/{name}"
            try:
                if self._system.exists(staged):
                    self._move(staged, final)
            except FileNotFoundError:  # another job finishes the same change
                if not self._system.exists(final):
                    raise
        for name in journal["remove"]:
            with suppress(FileNotFoundError):
                self._system.rm_file(f"{self._root}/{name}")
        if not journal["add"]:
            self._put(f"{self._root}/{MARKER}", b"")
        self._drop(staging)

    def _move(self, source: str, target: str) -> None:
        self._system.makedirs(_parent(target), exist_ok=True)
        self._system.mv(source, target)

    def _put(self, path: str, content: bytes) -> None:
        self._system.makedirs(_parent(path), exist_ok=True)
        self._system.pipe_file(path, content)

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
        change = RemoteWrite(self._table, self._id)
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
