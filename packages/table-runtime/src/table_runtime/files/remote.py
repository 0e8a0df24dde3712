"""Files of remote file systems, by their URLs, through fsspec (an optional dependency)."""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import IO, Any, cast

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.gate import AllowedUrl, Gate
from table_runtime.files.paths import is_hidden

_OLD_PREFIX = ".staging-"
"""The prefix of staging folders before they were in ``CHANGES``. They are still read, finished and removed."""
_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs", "abfs": "azure", "abfss": "azure", "az": "azure"}
"""Schemes of object stores to the extras with their packages. Their files have no folders, are not renamed, and appear completely when their upload ends."""
_CLIENTS: dict[tuple[int, str, str], Any] = {}
"""The clients of object stores, by process, scheme and what a URL says beside the path."""
_AHEAD = 1 << 20
"""Bytes that are read at once of a file that is being moved."""
_ATTEMPTS = 5
"""Maximum attempts to list a table that changes meanwhile."""
_PAGE = 1000
"""How many files an object store lists at once."""


def is_remote(text: str) -> bool:
    """Returns whether a table's path is a URL of a remote file system."""
    return "://" in text and not text.startswith("file:")


def remote_files(url: AllowedUrl, *, watched: bool = False) -> list[tuple[str, Path]]:
    """Returns (name relative to the table, file) of the files below a URL that are not hidden, sorted by name.

    The files are not paths, but have the members that readers use: ``name``, ``open``, ``stat`` and ``str``. With ``watched``, files of a committed change
    that are not at their final place yet are left out, since they get another modification time there; and an object store may have no files, since it has no
    empty folders.

    Raises:
        ValidationException: fsspec, or its package for the scheme, is not installed.
        TableRuntimeException: the URL cannot be read or does not exist.
    """
    system, root = remote_system(url)
    try:
        listing = RemoteListing(system, root)
        files = listing.visible()
    except Exception as error:
        raise TableRuntimeException(f"The path '{url}' cannot be read: {type(error).__name__}: {error}") from error
    if listing.is_empty and not (watched and not has_folders(url)):
        raise TableRuntimeException(f"The path '{url}' of the table does not exist.", hint="Check the table's option 'path'.")
    return [(name, cast("Path", listing.file(name, path))) for name, path in files if not watched or path == listing.final(name)]


class RemoteListing:
    """A listing of all files below a path, with the journals of committed changes that are not fully applied."""

    def __init__(self, system: Any, root: str) -> None:
        self._system = system
        self._root = root.rstrip("/")
        self._is_file = False
        self._paths: dict[str, str] = {}
        self._states: dict[str, tuple[int, int]] = {}
        self.journals: list[tuple[str, dict[str, Any]]] = []
        """The staging folders of committed changes, with their journals."""
        for attempt in range(_ATTEMPTS):
            system.invalidate_cache()  # some file systems cache listings
            if self._list() and (attempt == _ATTEMPTS - 1 or (self._is_whole() and not self._is_changed())):
                return
        raise OSError("its files change continuously")

    def _list(self) -> bool:
        """Lists the files and returns whether the listing is consistent: no change was cleaned up meanwhile."""
        self._is_file = bool(self._system.isfile(self._root))
        found = {self._root: self._system.info(self._root)} if self._is_file else self._system.find(self._root, detail=True)
        # A store without folders may have empty objects in their place, whose names end with '/'.
        paths = sorted(path for path, information in found.items() if information.get("type") == "file" and not path.endswith("/"))
        self._states = {path: file_state(found[path]) for path in paths}
        self._paths = {path[len(self._root) :].strip("/"): path for path in paths}
        self.journals = []
        from table_runtime.files.journals import JOURNAL  # few tables are written

        for staging in self.stagings():
            path = self._paths.get(f"{self._name(staging)}/{JOURNAL}")
            if path is None:
                continue
            try:
                journal = self._json(path)
            except FileNotFoundError:
                return False
            if journal is not None:
                self.journals.append((staging, journal))
        return True

    def _is_whole(self) -> bool:
        """Whether each new file of a committed change is at one of its places: it may be moved from a folder that is listed later to one before it."""
        return all(
            name in self._paths or staged_name(self._name(staging), journal, name) in self._paths
            for staging, journal in self.journals
            for name in journal["add"]
        )

    def _is_changed(self) -> bool:
        """Whether a change was committed while the listing was made, so that it may have a part of it: it has pages, and one folder after the other."""
        before = _committed(self._paths)
        if self._is_file or not (before or len(self._paths) >= _PAGE):
            return False
        self._system.invalidate_cache()
        from table_runtime.files.journals import CHANGES  # few tables are written

        found = self._system.find(f"{self._root}/{CHANGES}")
        now = _committed({path[len(self._root) :].strip("/") for path in found})
        return any(not was and now.get(change, True) for change, was in before.items()) or any(
            is_committed and change not in before for change, is_committed in now.items()
        )

    @property
    def is_empty(self) -> bool:
        """Whether no file exists, hidden ones included."""
        return not self._paths

    def visible(self) -> list[tuple[str, str]]:
        """Returns (name relative to the root, path) of the files that are not hidden, with the journals applied, sorted by name."""
        if self._is_file:
            return [(PurePosixPath(self._root).name, path) for path in self._paths.values()]
        files = {name: path for name, path in self._paths.items() if not _is_hidden(PurePosixPath(name))}
        for staging, journal in self.journals:
            for name in journal["remove"]:
                files.pop(name, None)
            for name in journal["add"]:
                if _is_hidden(PurePosixPath(name)):  # a file that marks a partition
                    continue
                staged = self._paths.get(staged_name(self._name(staging), journal, name))
                if staged is not None and not self._is_copied(staged, files.get(name)):
                    files[name] = staged
        return sorted(files.items())

    def _is_copied(self, staged: str, final: str | None) -> bool:
        """Whether the file at its final place is the staged one: an object store copies, and then deletes."""
        if final is None:
            return False
        (since, size), (time, final_size) = self._states[staged], self._states[final]
        return size == final_size and 0 < since <= time

    def final(self, name: str) -> str:
        """Returns the path at which a file with this name is, or will be."""
        return self._root if self._is_file else f"{self._root}/{name}"

    def file(self, name: str, path: str) -> RemoteFile:
        """Returns a listed file."""
        url, final = (Gate.derived_url(self._system.unstrip_protocol(one)) for one in (path, self.final(name)))
        return RemoteFile(url, None if url == final else final, self._states[path])

    def stagings(self) -> list[str]:
        """Returns the paths of the staging folders."""
        from table_runtime.files.journals import CHANGES  # few tables are written

        names = {"/".join(name.split("/")[:2]) for name in self._paths if name.startswith(f"{CHANGES}/")}
        names |= {name.partition("/")[0] for name in self._paths if name.startswith(_OLD_PREFIX)}
        return [f"{self._root}/{name}" for name in sorted(names)]

    def _name(self, staging: str) -> str:
        return staging[len(self._root) :].strip("/")

    def changed(self, staging: str) -> int:
        """Returns when a file of a staging folder was written last, in nanoseconds since 1970; 0 if the file system has no times."""
        return max((state[0] for path, state in self._states.items() if path.startswith(f"{staging}/")), default=0)

    def is_committed(self, staging: str) -> bool:
        """Returns whether the change of a staging folder is committed."""
        return any(folder == staging for folder, _ in self.journals)

    def _json(self, path: str) -> dict[str, Any] | None:
        import json  # a table without changes under way needs none

        try:
            content = json.loads(self._system.cat_file(path))
        except ValueError:  # not completely written yet
            return None
        return content if isinstance(content, dict) and _is_journal(content) else None


def _is_journal(content: Mapping[str, Any]) -> bool:
    """Returns whether a file has what a journal has, and names nothing outside the table."""
    staged, note = content.get("staged", {}), content.get("note", ("", {"epoch": 0}))
    if not isinstance(staged, dict) or not isinstance(note, list | tuple) or len(note) != 2 or not isinstance(note[1], dict):
        return False
    lists = [content.get("add"), content.get("remove"), [*staged.values(), note[0]]]
    from table_runtime.files.journals import leads_out  # few tables are written

    return isinstance(note[1].get("epoch"), int) and all(
        isinstance(names, list) and all(isinstance(name, str) and not leads_out(name) for name in names) for names in lists
    )


def _committed(names: Collection[str]) -> dict[str, bool]:
    """Returns the changes whose files are among the names, each with whether it is committed."""
    from table_runtime.files.journals import CHANGES, JOURNAL  # few tables are written

    folders = {"/".join(name.split("/")[:2]) for name in names if name.startswith(f"{CHANGES}/")}
    return {folder: f"{folder}/{JOURNAL}" in names for folder in folders}


def staged_name(staging: str, journal: Mapping[str, Any], name: str) -> str:
    """Returns the name of a file of a change that is not at its final place yet; ``staging`` is the name of the change's folder. Names are relative to the table."""
    from table_runtime.files.journals import DATA  # few tables are written

    return str(journal.get("staged", {}).get(name) or f"{staging}/{DATA}/{name}")


def file_state(information: Mapping[str, Any]) -> tuple[int, int]:
    """Returns modification time, in nanoseconds since 1970, and size of what fsspec says of a file; 0 where it says none.

    S3 has whole seconds in the answer for one file, and may have parts of seconds in listings: these are left out.
    """
    exact = information.get("mtime") or information.get("created")
    changed: Any = exact or information.get("LastModified") or information.get("last_modified")
    seconds = changed.timestamp() if hasattr(changed, "timestamp") else float(changed or 0)
    return int((seconds if exact else int(seconds)) * 1_000_000) * 1000, int(information.get("size") or 0)


def _is_hidden(path: PurePosixPath) -> bool:
    return is_hidden(path.name) or any(is_hidden(part, folder=True) for part in path.parts[:-1])


class RemoteFile:
    """A file by its URL; picklable.

    ``final`` is where the file will be soon: it is opened there when it is not at its URL any more. ``state`` is what a listing said of it.
    """

    __slots__ = ("_final", "_state", "_url")

    def __init__(self, url: AllowedUrl, final: AllowedUrl | None = None, state: tuple[int, int] | None = None) -> None:
        self._url = url
        self._final = final
        self._state = state

    @property
    def name(self) -> str:
        """The last part of the URL."""
        return PurePosixPath(self._url).name

    def open(self, mode: str = "rb") -> IO[bytes]:
        """Opens the file.

        Raises:
            OSError: the file cannot be read or written.
        """
        if self._final is None or mode != "rb":
            return _opened(self._url, mode)
        try:
            return io.BufferedReader(_MovedFile(_opened(self._url, mode), self._final), _AHEAD)
        except FileNotFoundError:
            return _opened(self._final, mode)

    def stat(self) -> Any:
        """Returns size and modification time (in nanoseconds) as ``Path.stat`` does; 0 where the file system reports none."""
        if self._state is None:
            system, path = remote_system(self._url)
            changed, size = file_state(system.info(path))
        else:
            changed, size = self._state
        return SimpleNamespace(st_size=size, st_mtime_ns=changed)

    def __str__(self) -> str:
        return self._url


class _MovedFile(io.RawIOBase):
    """A file that is being moved: an object store deletes it while it is read, and the rest is read where it is then."""

    def __init__(self, file: IO[bytes], final: AllowedUrl) -> None:
        self._file = file
        self._final = final
        self._is_moved = False

    @override
    def readinto(self, buffer: Any) -> int:
        position = self._file.tell()
        try:
            found = self._file.read(len(buffer))
        except FileNotFoundError:
            if self._is_moved:
                raise
            self._file.close()
            self._file, self._is_moved = _opened(self._final, "rb"), True
            self._file.seek(position)
            found = self._file.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    @override
    def readable(self) -> bool:
        return True

    @override
    def seekable(self) -> bool:
        return True

    @override
    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    @override
    def tell(self) -> int:
        return self._file.tell()

    @override
    def close(self) -> None:
        self._file.close()
        super().close()


def _object_store(url: AllowedUrl, scheme: str) -> tuple[Any, str]:
    """Returns the client of an object store, and the path on it.

    fsspec makes a client for each thread, which takes a noticeable time; its calls all run on one loop, so threads can share it. It has no cache of listings,
    because other processes change the store.
    """
    from fsspec import filesystem, get_filesystem_class

    kind = get_filesystem_class(scheme)
    options = {"use_listings_cache": False, **kind._get_kwargs_from_urls(url)}
    key = (os.getpid(), scheme, repr(sorted(options.items())))
    if key not in _CLIENTS:
        _CLIENTS[key] = filesystem(scheme, **options)
    return _CLIENTS[key], kind._strip_protocol(url)


def _opened(url: AllowedUrl, mode: str) -> IO[bytes]:
    system, path = remote_system(url)
    try:
        opened: IO[bytes] = system.open(path, mode)
    except OSError:
        raise
    except Exception as error:  # each file system has its own exceptions
        raise OSError(f"{type(error).__name__}: {error}") from error
    return opened


def has_folders(url: AllowedUrl) -> bool:
    """Returns whether the file system of a URL has folders, which must exist before a file in them, and can rename files; object stores do not."""
    return url.partition("://")[0] not in _EXTRAS


def remote_system(url: AllowedUrl) -> tuple[Any, str]:
    """Returns the file system of a URL, and the path on it.

    Raises:
        ValidationException: fsspec, or its package for the scheme, is not installed.
    """
    scheme = url.partition("://")[0]
    extra = _EXTRAS.get(scheme)
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ValidationException(
            f"The path '{url}' needs the library fsspec.",
            hint=f'pip install "table-runtime[{extra or "fsspec"}]"'
            + ("" if extra else ", and the package that fsspec needs for the scheme"),
        ) from error
    try:
        system, path = url_to_fs(url) if has_folders(url) else _object_store(url, scheme)
    except (ImportError, ValueError) as error:
        raise ValidationException(
            f"The path '{url}' cannot be reached: no file system is installed for '{scheme}': {error}.",
            hint=f'pip install "table-runtime[{extra}]"' if extra else "Install the package that fsspec names for the scheme.",
        ) from error
    return system, path
