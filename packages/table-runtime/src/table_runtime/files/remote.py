"""Files of other file systems, by their URLs, through fsspec, which an extra installs."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import IO, Any, cast

from table_common.exceptions import TableRuntimeException, ValidationException
from table_runtime.files.journals import DATA, JOURNAL
from table_runtime.files.paths import is_hidden

__all__ = ["PREFIX", "RemoteFile", "RemoteListing", "is_remote", "remote_files", "remote_system"]

PREFIX = ".staging-"
"""How folders begin in which jobs change a table."""
_ATTEMPTS = 5
"""How often a table is listed that changes meanwhile."""


def is_remote(text: str) -> bool:
    """Returns whether a table's path is a URL of another file system than this machine's."""
    return "://" in text and not text.startswith("file:")


def remote_files(url: str) -> list[tuple[str, Path]]:
    """Returns (name relative to the table, file) of the files below a URL that are not hidden, sorted by name.

    The files are no paths, but have all that readers use of one: ``name``, ``open``, ``stat`` and a text.

    Raises:
        ValidationException: fsspec, or what it needs for the scheme, is not installed.
        TableRuntimeException: the URL cannot be read, or there is nothing.
    """
    system, root = remote_system(url)
    try:
        listing = RemoteListing(system, root)
        found = listing.visible()
    except Exception as error:
        raise TableRuntimeException(f"The path '{url}' cannot be read: {type(error).__name__}: {error}") from error
    if listing.is_empty:
        raise TableRuntimeException(f"The path '{url}' of the table does not exist.", hint="Check the table's option 'path'.")
    return [(name, cast("Path", RemoteFile(system.unstrip_protocol(path)))) for name, path in found]


class RemoteListing:
    """All that lies below a path of a file system, listed once; with the journals of changes that have happened but are not all in place."""

    def __init__(self, system: Any, root: str) -> None:
        self._system = system
        self._root = root.rstrip("/")
        self._is_file = False
        self._paths: dict[str, str] = {}
        self.journals: list[tuple[str, dict[str, Any]]] = []
        """The staging folders of changes that have happened, with what their journals say."""
        for _ in range(_ATTEMPTS):
            system.invalidate_cache()  # some remember what they listed
            if self._list():
                return
        raise OSError("it changes all the time")

    def _list(self) -> bool:
        """Returns whether what was listed is one state: no change was finished after its journal was seen."""
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
        """Whether there is nothing at all."""
        return not self._paths

    def visible(self) -> list[tuple[str, str]]:
        """Returns (name relative to the root, path) of the files that are not hidden, as journals say they are, sorted by name."""
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
        """Returns the paths of the folders in which jobs change the table."""
        names = {PurePosixPath(name).parts[0] for name in self._paths if name.startswith(PREFIX)}
        return [f"{self._root}/{name}" for name in sorted(names)]

    def is_committed(self, staging: str) -> bool:
        """Returns whether the change of a staging folder has happened."""
        return any(found == staging for found, _ in self.journals)

    def _json(self, path: str) -> dict[str, Any] | None:
        import json  # a table without changes under way needs none

        try:
            content = json.loads(self._system.cat_file(path))
        except ValueError:  # not whole yet
            return None
        is_ours = isinstance(content, dict) and all(isinstance(content.get(key), list) for key in ("add", "remove"))
        return content if is_ours else None


def _is_hidden(path: PurePosixPath) -> bool:
    return is_hidden(path.name) or any(is_hidden(part, folder=True) for part in path.parts[:-1])


class RemoteFile:
    """A file by its URL; can travel to other processes."""

    __slots__ = ("_url",)

    def __init__(self, url: str) -> None:
        self._url = url

    @property
    def name(self) -> str:
        """The last part of the URL."""
        return PurePosixPath(self._url).name

    def open(self, mode: str = "rb") -> IO[bytes]:
        """Opens the file.

        Raises:
            OSError: it cannot be read or written.
        """
        system, path = remote_system(self._url)
        try:
            opened: IO[bytes] = system.open(path, mode)
        except OSError:
            raise
        except Exception as error:  # each file system has errors of its own
            raise OSError(f"{type(error).__name__}: {error}") from error
        return opened

    def stat(self) -> Any:
        """Returns what ``Path.stat`` says of size and time, in nanoseconds, 0 where the file system has none."""
        system, path = remote_system(self._url)
        information = system.info(path)
        changed = information.get("mtime") or information.get("LastModified") or information.get("created")
        seconds = changed.timestamp() if hasattr(changed, "timestamp") else float(changed or 0)
        return SimpleNamespace(st_size=int(information.get("size") or 0), st_mtime_ns=int(seconds * 1_000_000) * 1000)

    def __str__(self) -> str:
        return self._url


def remote_system(url: str) -> tuple[Any, str]:
    """Returns the file system of a URL, and the path on it.

    Raises:
        ValidationException: fsspec, or what it needs for the scheme, is not installed.
    """
    scheme = url.partition("://")[0]
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ValidationException(
            f"The path '{url}' needs the library fsspec.", hint='pip install "table-runtime[fsspec]", and what it needs for the scheme'
        ) from error
    try:
        system, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise ValidationException(
            f"The path '{url}' cannot be reached: no file system is installed for '{scheme}': {error}.",
            hint="Install the package that fsspec names for the scheme.",
        ) from error
    return system, path
