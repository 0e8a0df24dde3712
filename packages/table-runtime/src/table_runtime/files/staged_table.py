"""Atomic creation or replacement of a table's folder for CREATE TABLE AS; files are staged until the commit."""

from __future__ import annotations

import uuid

from table_common.annotation import override
from table_common.connector.sink.abilities import StagedTable
from table_common.exceptions import TableRuntimeException
from table_runtime.files.changes import begin_change, folder_at
from table_runtime.files.removals import data_files

_WRITTEN = 1
"""The part of the change whose folder is the staged table."""


class StagedFolder(StagedTable):
    """Engines write to ``path``, a table in the staging folder of a change; ``commit`` adds its files to that change."""

    def __init__(self, table: str) -> None:
        self._change = folder_at(table).change(uuid.uuid4().hex)
        self.path = self._change.folder(_WRITTEN)
        """A path or a URL, as that of the table."""

    @override
    def begin(self) -> None:
        self._change.begin()

    @override
    def commit(self) -> None:
        table = str(self._change.table)
        try:
            self._change.adopt(_WRITTEN)
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
    if not folder_at(path).exists():
        return
    change = begin_change(path, uuid.uuid4().hex)
    try:
        change.commit(lambda names: data_files(names, format_, path))
    finally:
        change.abort()
