"""A table's folder that appears, or is replaced, at once: what CREATE TABLE AS writes is elsewhere until then."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path

from table_common.annotation import override
from table_common.connector.sink.abilities import StagedTable
from table_common.exceptions import TableRuntimeException
from table_runtime.files.commit import StagedWrite
from table_runtime.files.journals import visible_files

__all__ = ["StagedFolder", "remove_files"]


class StagedFolder(StagedTable):
    """Engines write into ``path``, a hidden folder beside the table's; ``commit`` moves the files as one change."""

    def __init__(self, table: Path) -> None:
        self._table = Path(os.path.realpath(table))
        self._id = uuid.uuid4().hex
        self.path = self._table.parent / f".ctas-{self._id}"

    @override
    def begin(self) -> None:
        if self._table.exists() and not self._table.is_dir():
            raise TableRuntimeException(f"The path '{self._table}' is a file; a table that is written must be a folder.")

    @override
    def commit(self) -> None:
        change = StagedWrite(self._table, self._id)
        change.begin()
        try:
            for name, file in visible_files(self.path) if self.path.exists() else []:
                os.replace(file, change.path_of(name))
            old = [name for name, _ in visible_files(self._table)] if self._table.exists() else []
            change.commit(old)
        except OSError as error:
            raise TableRuntimeException(f"The table at '{self._table}' cannot be written: {error}") from error
        finally:
            change.abort()
            self.abort()

    @override
    def abort(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def remove_files(table: Path) -> None:
    """Removes all files of a table as one change; the folder stays.

    Raises:
        TableRuntimeException: the folder cannot be written.
    """
    if not table.exists():
        return
    change = StagedWrite(table, uuid.uuid4().hex)
    change.begin()
    try:
        change.commit([name for name, _ in visible_files(change.table)])
    finally:
        change.abort()
