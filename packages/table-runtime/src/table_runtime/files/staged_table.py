"""A table's folder that appears, or is replaced, at once: what CREATE TABLE AS writes is elsewhere until then."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from table_common.annotation import override
from table_common.connector.sink.abilities import StagedTable
from table_common.exceptions import TableRuntimeException
from table_runtime.files.commit import StagedWrite
from table_runtime.files.journals import visible_files
from table_runtime.files.paths import local_path
from table_runtime.files.remote import is_remote

if TYPE_CHECKING:
    from table_runtime.files.remote_write import RemoteStagedFolder, RemoteWrite

__all__ = ["StagedFolder", "begin_change", "remove_files", "staged_folder"]


def begin_change(path: str, job_id: str) -> StagedWrite | RemoteWrite:
    """Returns the change of a job, begun, of the table at a path or URL.

    Raises:
        TableRuntimeException: nothing can be written there.
    """
    change: StagedWrite | RemoteWrite
    if is_remote(path):
        from table_runtime.files.remote_write import RemoteWrite as Remote  # most tables are on this machine

        change = Remote(path, job_id)
    else:
        change = StagedWrite(local_path(path), job_id)
    change.begin()
    return change


def staged_folder(path: str) -> StagedFolder | RemoteStagedFolder:
    """Returns where CREATE TABLE AS writes until it ends, for a table at a path or URL; ``path`` of the result is a path or URL too."""
    if is_remote(path):
        from table_runtime.files.remote_write import RemoteStagedFolder as Remote

        return Remote(path)
    return StagedFolder(local_path(path))


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


def remove_files(path: str) -> None:
    """Removes all files of the table at a path or URL as one change; the folder stays.

    Raises:
        TableRuntimeException: the folder cannot be written.
    """
    if not is_remote(path) and not local_path(path).exists():
        return
    change = begin_change(path, uuid.uuid4().hex)
    try:
        change.commit(change.existing())
    finally:
        change.abort()
