"""The client of a job that does not end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from table_common.annotation import override
from table_common.exceptions import TableException
from table_runtime.cancellation import CancellationToken
from table_runtime.operators.channel import Channel
from table_runtime.operators.job_metrics import JobMetrics
from table_runtime.planner.executor import ArrowJobClient
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.job_lock import ENDING_SECONDS
from table_runtime.streaming.job.in_process.checkpointed_epochs import CheckpointedEpochs
from table_runtime.streaming.job.savepoints import SavepointRequest

__all__ = ["StreamJobClient"]


class StreamJobClient(ArrowJobClient):
    """Adds the end with a last commit, savepoints and checkpoints."""

    def __init__(self, job_id: str, token: CancellationToken, channel: Channel, metrics: JobMetrics) -> None:
        super().__init__(job_id, token, channel, metrics)
        self._end: Callable[[bool], None] | None = None
        self.is_ending = False
        """Whether the job was asked to end."""
        self.writes = True
        """Whether the job has sinks; the end of a query is its cancellation."""
        self.has_checkpoints = False
        """Whether the job has checkpoints, or will have them when it begins."""
        self._drains = False
        self._lock = threading.Lock()
        self._epochs: CheckpointedEpochs | None = None
        self._savepoints: str | None = None
        self._requests: list[tuple[SavepointRequest, bool]] = []
        """The savepoints that were asked for and are not written, and whether each is the last one: an attempt that fails leaves them to the next."""
        self.folder: JobFolder | None = None
        """The job's checkpoints; None until it has them."""
        self.sinks_thread: threading.Thread | None = None
        """The thread that writes to the sinks; None until it begins."""

    @property
    def is_ending_or_cancelled(self) -> bool:
        """Whether the job was asked to end, or has failed."""
        return self.is_ending or self._token.is_cancelled

    @override
    def _has_closed(self, seconds: float) -> bool:
        """As of any job; of one that writes also the thread of its sinks, behind which its checkpoints are free for the next start."""
        if not self.writes:
            return super()._has_closed(seconds)
        run, sinks = self._run, self.sinks_thread
        if self._stops_since(ENDING_SECONDS) or run is None or run.is_current or sinks is threading.current_thread():
            return True
        if not run.wait(seconds):
            return False
        sinks = self.sinks_thread  # the last attempt began meanwhile
        if sinks is not None and sinks.ident is not None:
            sinks.join(seconds)
        return sinks is None or not sinks.is_alive()

    def on_end(self, end: Callable[[bool], None]) -> None:
        """Sets what ``end`` calls; calls it if the end was asked for before. Its argument is whether event time comes to its end before."""
        self._end = end
        if self.is_ending:
            end(self._drains)

    def began(self, epochs: CheckpointedEpochs, savepoints: str | None) -> None:
        """Called when an attempt with checkpoints begins; ``savepoints`` is the folder of savepoints."""
        with self._lock:
            self._epochs = epochs
            self._savepoints = savepoints
            self._requests = [(request, is_last) for request, is_last in self._requests if not request.has_ended]
            for request, is_last in self._requests:
                self._pass_on(request, epochs, is_last=is_last)

    def _pass_on(self, request: SavepointRequest, epochs: CheckpointedEpochs, *, is_last: bool) -> None:
        folder = self.folder
        assert folder is not None
        epochs.request(lambda manifest: request.write(folder, manifest, self._savepoints), is_last=is_last)

    @override
    def end(self) -> None:
        if self.writes:
            self._ask_to_end(drains=False)
        else:
            self.cancel()

    def _ask_to_end(self, *, drains: bool) -> None:
        self._drains = drains
        self.is_ending = True
        if self._end is not None:
            self._end(drains)

    @override
    def trigger_savepoint(self, savepoint_directory: str | None = None) -> str:
        return self._wait(self._request(savepoint_directory))

    @override
    def stop_with_savepoint(self, advance_to_end_of_event_time: bool = False, savepoint_directory: str | None = None) -> str:
        request = self._request(savepoint_directory, is_last=True)
        self._ask_to_end(drains=advance_to_end_of_event_time)
        path = self._wait(request)
        self.job_state.wait()
        return path

    def _request(self, directory: str | None, *, is_last: bool = False) -> SavepointRequest:
        if not self.has_checkpoints:
            raise TableException(
                f"Job {self.job_id} has no savepoint: it has no checkpoints.",
                hint="Set 'execution.checkpointing.dir' before the INSERT; queries whose rows are read have none.",
            )
        request = SavepointRequest(directory)
        with self._lock:
            self._requests = [(earlier, was_last) for earlier, was_last in self._requests if not earlier.has_ended]
            self._requests.append((request, is_last))
            if self._epochs is not None:  # otherwise the job has not begun
                self._pass_on(request, self._epochs, is_last=is_last)
        return request

    def _wait(self, request: SavepointRequest) -> str:
        return request.wait(lambda: self.job_state.status.is_terminal_state(), lambda: self.job_state.error)

    @override
    def checkpoints(self) -> Sequence[Mapping[str, Any]]:
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
