"""Files of other file systems, by their URLs, through fsspec, which an extra installs."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import IO, Any, cast

from table_common.exceptions import TableRuntimeException, ValidationException
from table_runtime.files.paths import is_hidden

__all__ = ["is_remote", "remote_files"]


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
    system, root = _system(url)
    try:
        names = [root] if system.isfile(root) else sorted(system.find(root))
    except Exception as error:
        raise TableRuntimeException(f"The path '{url}' cannot be read: {type(error).__name__}: {error}") from error
    if not names:
        raise TableRuntimeException(f"The path '{url}' of the table does not exist.", hint="Check the table's option 'path'.")
    found = []
    for name in names:
        relative = name[len(root) :].strip("/") or PurePosixPath(name).name
        if not any(map(is_hidden, PurePosixPath(relative).parts)):
            found.append((relative, cast("Path", RemoteFile(system.unstrip_protocol(name)))))
    return found


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
        """Opens the file for reading.

        Raises:
            OSError: it cannot be read.
        """
        system, path = _system(self._url)
        opened: IO[bytes] = system.open(path, mode)
        return opened

    def stat(self) -> Any:
        """Returns what ``Path.stat`` says of size and time, in nanoseconds, 0 where the file system has none."""
        system, path = _system(self._url)
        information = system.info(path)
        changed = information.get("mtime") or information.get("LastModified") or information.get("created")
        seconds = changed.timestamp() if hasattr(changed, "timestamp") else float(changed or 0)
        return SimpleNamespace(st_size=int(information.get("size") or 0), st_mtime_ns=int(seconds * 1_000_000) * 1000)

    def __str__(self) -> str:
        return self._url


def _system(url: str) -> tuple[Any, str]:
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
            f"The path '{url}' cannot be read: no file system is installed for '{scheme}': {error}.",
            hint="For s3:// pip install s3fs, for gs:// gcsfs",
        ) from error
    return system, path
