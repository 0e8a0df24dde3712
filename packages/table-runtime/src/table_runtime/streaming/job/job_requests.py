"""What the client of a job asks for while it runs: its end, and savepoints."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from table_common.exceptions import TableException
from table_common.job_state import JobState
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.manifest import Manifest
from table_runtime.streaming.job.savepoints import SavepointRequest


class JobRequests:
    """The requests to one job, which outlive its attempts: what an attempt that fails leaves is done by the next one. Safe to use from any thread.

    ``state`` says when the job has ended, so that nobody waits any longer.
    """

    def __init__(self, job_id: str, state: JobState) -> None:
        self.has_checkpoints = False
        """Whether the job has checkpoints, or will have them when it begins."""
        self.folder: JobFolder | None = None
        """The job's checkpoints; None until it has them."""
        self.is_ending = False
        """Whether the job was asked to end."""
        self.savepoints: str | None = None
        """The folder of savepoints; None: they are in the folder of the job."""
        self._job_id = job_id
        self._state = state
        self._drains = False
        self._end: Callable[[bool], None] | None = None
        self._lock = threading.Lock()
        self._waiting: list[tuple[SavepointRequest, bool]] = []
        """The savepoints that were asked for, and whether each is the last one."""

    def end(self, *, drains: bool = False) -> None:
        """Asks the job to end with an epoch; with ``drains`` event time comes to its end before."""
        self._drains = drains
        self.is_ending = True
        if self._end is not None:
            self._end(drains)

    @property
    def drains(self) -> bool:
        """Whether the end that was asked for brings event time to its end before."""
        return self._drains

    def on_end(self, end: Callable[[bool], None]) -> None:
        """Sets what ``end`` calls; calls it if the end was asked for before. Its argument is whether event time comes to its end before."""
        self._end = end
        if self.is_ending:
            end(self._drains)

    def savepoint(self, directory: str | None, *, is_last: bool = False) -> SavepointRequest:
        """Asks for a savepoint of the next epoch, or with ``is_last`` of the last one.

        Raises:
            TableException: the job has no checkpoints.
        """
        if not self.has_checkpoints:
            raise TableException(
                f"Job {self._job_id} has no savepoint: it has no checkpoints.",
                hint="Set 'execution.checkpointing.dir' before the INSERT; queries whose rows are read have none.",
            )
        request = SavepointRequest(directory)
        with self._lock:
            self._waiting = [(earlier, was_last) for earlier, was_last in self._waiting if not earlier.has_ended]
            self._waiting.append((request, is_last))
        return request

    def trigger_savepoint(self, directory: str | None) -> str:
        """Returns the path of a savepoint of the next epoch when it is written, while the job runs.

        Raises:
            TableException: the job has no checkpoints.
            TableError: the savepoint cannot be written, or the job has ended before.
        """
        return self._written(self.savepoint(directory))

    def stop_with_savepoint(self, directory: str | None, *, drains: bool) -> str:
        """Asks the job to end, and returns the path of a savepoint of its last epoch when it has.

        Raises:
            TableException: the job has no checkpoints.
            TableError: the savepoint cannot be written, or the job has ended before.
        """
        request = self.savepoint(directory, is_last=True)
        self.end(drains=drains)
        path = self._written(request)
        self._state.wait()
        return path

    def _written(self, request: SavepointRequest) -> str:
        return request.wait(lambda: self._state.status.is_terminal_state(), lambda: self._state.error)

    def pending(self, *, is_last: bool = False) -> Sequence[SavepointRequest]:
        """Returns the savepoints that the epoch that ends now is to give; they stay pending until it has. ``is_last``: it is the last epoch."""
        with self._lock:
            return [request for request, of_last in self._waiting if not request.has_ended and (is_last or not of_last)]

    def answer(self, requests: Sequence[SavepointRequest], manifest: Manifest) -> None:
        """Writes savepoints of an epoch that is committed."""
        folder = self.folder
        assert folder is not None
        for request in requests:
            request.write(folder, manifest, self.savepoints)

    def checkpoints(self) -> Sequence[Mapping[str, Any]]:
        """Returns what ``JobClient.checkpoints`` says of the checkpoints that the job keeps."""
        folder = self.folder
        if folder is None:
            return ()
        return [
            {
                "epoch": manifest.epoch,
                "time": manifest.time,
                "duration": manifest.duration,
                "bytes": sum(file.bytes for file in manifest.files()),
                "rows": sum(file.rows for file in manifest.files()),
                "path": f"{folder.store.url}/epochs/{manifest.epoch}.json",
            }
            for manifest in folder.manifests()
        ]


class RequestingClient:
    """The methods of a job's client that are requests to the job."""

    requests: JobRequests

    def trigger_savepoint(self, savepoint_directory: str | None = None) -> str:
        """Returns the path of a savepoint of the next epoch when it is written, while the job runs.

        Raises:
            TableException: the job has no checkpoints.
            TableError: the savepoint cannot be written, or the job has ended before.
        """
        return self.requests.trigger_savepoint(savepoint_directory)

    def stop_with_savepoint(self, advance_to_end_of_event_time: bool = False, savepoint_directory: str | None = None) -> str:
        """Asks the job to end, and returns the path of a savepoint of its last epoch when it has.

        Raises:
            TableException: the job has no checkpoints.
            TableError: the savepoint cannot be written, or the job has ended before.
        """
        return self.requests.stop_with_savepoint(savepoint_directory, drains=advance_to_end_of_event_time)

    def checkpoints(self) -> Sequence[Mapping[str, Any]]:
        """Returns what the checkpoints are that the job keeps."""
        return self.requests.checkpoints()
