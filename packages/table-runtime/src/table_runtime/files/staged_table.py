"""Atomic creation or replacement of a table's folder for CREATE TABLE AS; files are staged until the commit."""

from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING

from table_common.annotation import override
from table_common.connector.sink.abilities import StagedTable
from table_common.exceptions import TableRuntimeException
from table_common.gate import AllowedPath, current_gate
from table_runtime.files.changes import begin_change
from table_runtime.files.local_folder import LocalChange
from table_runtime.files.paths import WHERE, local_path
from table_runtime.files.remote import is_remote
from table_runtime.files.removals import data_files
from table_runtime.files.snapshots import visible_files

if TYPE_CHECKING:
    from table_runtime.files.remote_folder import RemoteStagedFolder

_WRITTEN = 1
"""The part of the change whose folder is the staged table."""


def staged_folder(path: str) -> StagedFolder | RemoteStagedFolder:
    """Returns the staging folder of CREATE TABLE AS for a table at a path or URL; its ``path`` is a path or URL, too."""
    if is_remote(path):
        from table_runtime.files.remote_folder import RemoteStagedFolder as Remote

        return Remote(current_gate().url(path, WHERE))
    return StagedFolder(local_path(path))


class StagedFolder(StagedTable):
    """Engines write to ``path``, a table in the staging folder of a change; ``commit`` adds its files to that change."""

    def __init__(self, table: AllowedPath) -> None:
        self._change = LocalChange(table, uuid.uuid4().hex)
        self.path = self._change.folder(_WRITTEN)

    @override
    def begin(self) -> None:
        self._change.begin()

    @override
    def commit(self) -> None:
        table = str(self._change.table)
        try:
            for name, file in visible_files(current_gate().found(self.path, WHERE)) if self.path.exists() else []:
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
        TableRuntimeException: the folder cannot be written, or has files in another format.
    """
    if not is_remote(path) and not local_path(path).exists():
        return
    change = begin_change(path, uuid.uuid4().hex)
    try:
        change.commit(lambda names: data_files(names, format_, path))
    finally:
        change.abort()
