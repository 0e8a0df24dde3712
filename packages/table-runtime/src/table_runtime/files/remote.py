"""Files of remote file systems, by their URLs, through fsspec (an optional dependency)."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import IO, Any, cast

from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.gate import AllowedUrl, Gate
from table_runtime.files.journals import DATA, JOURNAL
from table_runtime.files.paths import is_hidden

__all__ = ["PREFIX", "RemoteFile", "RemoteListing", "is_remote", "remote_files", "remote_system"]

PREFIX = ".staging-"
"""Prefix of staging folders."""
_ATTEMPTS = 5
"""Maximum attempts to list a table that changes meanwhile."""


def is_remote(text: str) -> bool:
    """Returns whether a table's path is a URL of a remote file system."""
    return "://" in text and not text.startswith("file:")


def remote_files(url: AllowedUrl) -> list[tuple[str, Path]]:
    """Returns (name relative to the table, file) of the files below a URL that are not hidden, sorted by name.

    The files are not paths, but have the members that readers use: ``name``, ``open``, ``stat`` and ``str``.

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
    if listing.is_empty:
        raise TableRuntimeException(f"The path '{url}' of the table does not exist.", hint="Check the table's option 'path'.")
    return [(name, cast("Path", RemoteFile(Gate.derived_url(system.unstrip_protocol(path))))) for name, path in files]


class RemoteListing:
    """A listing of all files below a path, with the journals of committed changes that are not fully applied."""

    def __init__(self, system: Any, root: str) -> None:
        self._system = system
        self._root = root.rstrip("/")
        self._is_file = False
        self._paths: dict[str, str] = {}
        self.journals: list[tuple[str, dict[str, Any]]] = []
        """The staging folders of committed changes, with their journals."""
        for _ in range(_ATTEMPTS):
            system.invalidate_cache()  # some file systems cache listings
            if self._list():
                return
        raise OSError("its files change continuously")

    def _list(self) -> bool:
        """Lists the files and returns whether the listing is consistent: no change was cleaned up meanwhile."""
        self._is_file = bool(self._system.isfile(self._root))
        paths = [self._root] if self._is_file else sorted(self._system.find(self._root))
        self._paths = {path[len(self._root) :].strip("/"): path for path in paths}
        self.journals = []
        for staging in self.stagings():
            path = self._paths.get(f"{PurePosixPath(staging).name}/{JOURNAL}")
            if path is None:
                continue
            try:
                journal = self._json(path)
            except FileNotFoundError:
                return False
            if journal is not None:
                self.journals.append((staging, journal))
        return True

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
                staged = f"{PurePosixPath(staging).name}/{DATA}/{name}"
                if staged in self._paths:
                    files[name] = self._paths[staged]
        return sorted(files.items())

    def stagings(self) -> list[str]:
        """Returns the paths of the staging folders."""
        names = {PurePosixPath(name).parts[0] for name in self._paths if name.startswith(PREFIX)}
        return [f"{self._root}/{name}" for name in sorted(names)]

    def is_committed(self, staging: str) -> bool:
        """Returns whether the change of a staging folder is committed."""
        return any(folder == staging for folder, _ in self.journals)

    def _json(self, path: str) -> dict[str, Any] | None:
        import json  # a table without changes under way needs none

        try:
            content = json.loads(self._system.cat_file(path))
        except ValueError:  # not completely written yet
            return None
        is_ours = isinstance(content, dict) and all(isinstance(content.get(key), list) for key in ("add", "remove"))
        return content if is_ours else None


def _is_hidden(path: PurePosixPath) -> bool:
    return is_hidden(path.name) or any(is_hidden(part, folder=True) for part in path.parts[:-1])


class RemoteFile:
    """A file by its URL; picklable."""

    __slots__ = ("_url",)

    def __init__(self, url: AllowedUrl) -> None:
        self._url = url

    @property
    def name(self) -> str:
        """The last part of the URL."""
        return PurePosixPath(self._url).name

    def open(self, mode: str = "rb") -> IO[bytes]:
        """Opens the file.

        Raises:
            OSError: the file cannot be read or written.
        """
        system, path = remote_system(self._url)
        try:
            opened: IO[bytes] = system.open(path, mode)
        except OSError:
            raise
        except Exception as error:  # each file system has its own exceptions
            raise OSError(f"{type(error).__name__}: {error}") from error
        return opened

    def stat(self) -> Any:
        """Returns size and modification time (in nanoseconds) as ``Path.stat`` does; 0 where the file system reports none."""
        system, path = remote_system(self._url)
        information = system.info(path)
        changed = information.get("mtime") or information.get("LastModified") or information.get("created")
        seconds = changed.timestamp() if hasattr(changed, "timestamp") else float(changed or 0)
        return SimpleNamespace(st_size=int(information.get("size") or 0), st_mtime_ns=int(seconds * 1_000_000) * 1000)

    def __str__(self) -> str:
        return self._url


def remote_system(url: AllowedUrl) -> tuple[Any, str]:
    """Returns the file system of a URL, and the path on it.

    Raises:
        ValidationException: fsspec, or its package for the scheme, is not installed.
    """
    scheme = url.partition("://")[0]
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ValidationException(
            f"The path '{url}' needs the library fsspec.",
            hint='pip install "table-runtime[fsspec]", and the package that fsspec needs for the scheme',
        ) from error
    try:
        system, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise ValidationException(
            f"The path '{url}' cannot be reached: no file system is installed for '{scheme}': {error}.",
            hint="Install the package that fsspec names for the scheme.",
        ) from error
    return system, path
