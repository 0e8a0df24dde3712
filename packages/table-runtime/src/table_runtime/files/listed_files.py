"""Listings of a folder with the state of each file, by which a change of a file is recognized."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from table_common.exceptions import TableRuntimeException
from table_common.gate import current_gate
from table_runtime.files.paths import WHERE, local_path
from table_runtime.files.patterns import is_pattern, matches_of
from table_runtime.files.remote import RemoteFile, is_remote, remote_files
from table_runtime.files.snapshots import visible_files

FileState = tuple[int, int]
"""Modification time in nanoseconds since 1970, and size in bytes."""


class Listing(dict[str, FileState]):
    """The files that are not hidden, by name: relative to the table's path, or absolute if the path is a pattern."""

    @classmethod
    def of(cls, paths: Sequence[str], table: str) -> Listing:
        """Lists the files at paths, URLs or patterns.

        Raises:
            TableRuntimeException: a path does not exist or cannot be read; a pattern may match nothing.
        """
        listing = cls()
        for text in paths:
            if is_pattern(text):
                for path in matches_of(text):
                    listing._add(_files_at(path, table), is_absolute=True)
            else:
                listing._add(_files_at(text, table), is_absolute=len(paths) > 1)
        return listing

    def _add(self, files: Sequence[tuple[str, Path]], *, is_absolute: bool) -> None:
        for name, path in files:
            try:
                self[str(path) if is_absolute else name] = state_of(path)
            except OSError:  # it was removed since it was listed
                continue


def state_of(path: Path) -> FileState:
    """Returns the state of a file, also of a remote one.

    Raises:
        OSError: there is no such file.
    """
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def file_of(name: str, paths: Sequence[str]) -> Path:
    """Returns the file with a name of a listing of the paths.

    Raises:
        ValidationException: statements of the session must not read it.
    """
    gate = current_gate()
    if len(paths) > 1 or is_pattern(paths[0]):
        return cast("Path", RemoteFile(gate.url(name, WHERE))) if is_remote(name) else gate.found(Path(name), WHERE)
    (text,) = paths
    if is_remote(text):
        url = text.rstrip("/")
        return cast("Path", RemoteFile(gate.url(url if url.endswith(f"/{name}") else f"{url}/{name}", WHERE)))
    path = local_path(text)
    return path if path.is_file() else gate.found(path / name, WHERE)


def _files_at(text: str, table: str) -> list[tuple[str, Path]]:
    try:
        return remote_files(current_gate().url(text, WHERE), watched=True) if is_remote(text) else visible_files(local_path(text))
    except TableRuntimeException as error:
        raise TableRuntimeException(f"Table {table}: {error.message}", hint=error.hint) from error
    except OSError as error:
        raise TableRuntimeException(f"Table {table}: the path '{text}' cannot be read: {error}") from error
