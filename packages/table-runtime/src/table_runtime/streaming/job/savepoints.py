"""Savepoints: copies of an epoch that can be moved, and whose files no job deletes."""

from __future__ import annotations

import threading
from collections.abc import Callable

from table_common.exceptions import JobCancelledException, TableError, TableRuntimeException
from table_common.gate import Gate
from table_runtime.streaming.checkpoints.file_store import open_store
from table_runtime.streaming.checkpoints.job_folder import JobFolder, folder_name
from table_runtime.streaming.checkpoints.manifest import Manifest
from table_runtime.streaming.checkpoints.stored_state import SAVEPOINT


def write_savepoint(folder: JobFolder, manifest: Manifest, directory: str | None) -> str:
    """Writes a savepoint of an epoch into a new folder below ``directory``; returns the folder, which is one for all requests of the epoch. Files are linked where that is possible.

    Raises:
        TableRuntimeException: there is another one, or it cannot be written.
    """
    directory = directory.rstrip("/") if directory is not None else f"{folder.store.url}/savepoints"
    path = f"{directory}/savepoint-{folder_name(folder.job)}-{manifest.epoch}-{manifest.run}"
    target = open_store(Gate.location_of_program(path))
    for file in manifest.files():
        folder.store.copy(file.path, target, file.path)
    content = manifest.to_bytes()
    if not target.create(SAVEPOINT, content) and target.read(SAVEPOINT) != content:
        raise TableRuntimeException(f"There is a savepoint at '{path}' already.")
    return path


class SavepointRequest:
    """A savepoint that a thread waits for."""

    def __init__(self, directory: str | None) -> None:
        self._directory = directory
        self._path: str | None = None
        self._error: BaseException | None = None
        self._ended = threading.Event()

    @property
    def has_ended(self) -> bool:
        """Whether it is written, or has failed."""
        return self._ended.is_set()

    def write(self, folder: JobFolder, manifest: Manifest, directory: str | None) -> None:
        """Writes it, into ``directory`` unless another one was asked for; a failure is one of the request, not of the job."""
        try:
            self._path = write_savepoint(folder, manifest, self._directory if self._directory is not None else directory)
        except TableError as error:
            self._error = error
        self._ended.set()

    def wait(self, has_ended: Callable[[], bool], error: Callable[[], BaseException | None]) -> str:
        """Returns the path when the savepoint is there.

        Raises:
            TableError: it failed, or the job did.
        """
        while not self._ended.wait(0.05):
            if has_ended() and not self._ended.is_set():
                raise error() or JobCancelledException("The job ended before the savepoint was written.")
        if self._error is not None:
            raise self._error
        assert self._path is not None
        return self._path
