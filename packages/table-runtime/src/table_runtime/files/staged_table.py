"""A table's folder that appears, or is replaced, at once: what CREATE TABLE AS writes is elsewhere until then."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from table_common.annotation import override
from table_common.connector.sink.abilities import StagedTable
from table_common.exceptions import TableRuntimeException
from table_runtime.files.changes import begin_change
from table_runtime.files.commit import StagedWrite
from table_runtime.files.paths import local_path
from table_runtime.files.remote import is_remote
from table_runtime.files.removals import data_files
from table_runtime.files.snapshots import visible_files

if TYPE_CHECKING:
    from table_runtime.files.remote_write import RemoteStagedFolder

__all__ = ["StagedFolder", "remove_files", "staged_folder"]

_WRITTEN = 1
"""The part of the change below which engines write a table of its own."""


def staged_folder(path: str) -> StagedFolder | RemoteStagedFolder:
    """Returns where CREATE TABLE AS writes until it ends, for a table at a path or URL; ``path`` of the result is a path or URL too."""
    if is_remote(path):
        from table_runtime.files.remote_write import RemoteStagedFolder as Remote

        return Remote(path)
    return StagedFolder(local_path(path))


class StagedFolder(StagedTable):
    """Engines write into ``path``, a table inside of a change of this one; ``commit`` takes its files into that change."""

    def __init__(self, table: Path) -> None:
        self._change = StagedWrite(table, uuid.uuid4().hex)
        self.path = self._change.folder(_WRITTEN)

    @override
    def begin(self) -> None:
        self._change.begin()

    @override
    def commit(self) -> None:
        table = str(self._change.table)
        try:
            for name, file in visible_files(self.path) if self.path.exists() else []:
                os.replace(file, self._change.path_of(name))
            self._change.commit(lambda names: data_files(names, None, table))
        except OSError as error:
            raise TableRuntimeException(f"The table at '{table}' cannot be written: {error}") from error
        finally:
            self._change.abort()

    @override
    def abort(self) -> None:
        self._change.abort()


def remove_files(path: str, format_: str) -> None:
    """Removes all files of the table at a path or URL as one change; the folder stays.

    Raises:
        TableRuntimeException: the folder cannot be written, or has files that are not of the format.
    """
    if not is_remote(path) and not local_path(path).exists():
        return
    change = begin_change(path, uuid.uuid4().hex)
    try:
        change.commit(lambda names: data_files(names, format_, path))
    finally:
        change.abort()
