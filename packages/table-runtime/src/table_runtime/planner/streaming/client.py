"""The client of an unbounded job."""

from __future__ import annotations

import threading
from typing import Protocol

from table_common.annotation import override
from table_runtime.cancellation import CancellationToken
from table_runtime.planner.executor import ArrowJobClient
from table_runtime.run.channel import Channel
from table_runtime.run.job_metrics import JobMetrics
from table_runtime.streaming.checkpoints.job_lock import ENDING_SECONDS
from table_runtime.streaming.job.job_requests import JobRequests, RequestingClient


class StreamDriver(Protocol):
    """What a client knows of the driver of its job."""

    @property
    def sinks_thread(self) -> threading.Thread | None: ...


class StreamJobClient(RequestingClient, ArrowJobClient):
    """Adds the end with a last commit, savepoints and checkpoints."""

    def __init__(self, job_id: str, token: CancellationToken, channel: Channel, metrics: JobMetrics) -> None:
        super().__init__(job_id, token, channel, metrics)
        self.requests = JobRequests(job_id, self.job_state)
        self.writes = True
        """Whether the job has sinks; the end of a query is its cancellation."""
        self.driver: StreamDriver | None = None

    @override
    def _has_closed(self, seconds: float) -> bool:
        """As of any job; of one that writes also the thread of its sinks, after which its checkpoints are free for the next start."""
        run, driver = self._run, self.driver
        if not self.writes or driver is None:
            return super()._has_closed(seconds)
        sinks = driver.sinks_thread
        if self._stops_since(ENDING_SECONDS) or run is None or run.is_current or sinks is threading.current_thread():
            return True
        if not run.wait(seconds):
            return False
        sinks = driver.sinks_thread  # the last attempt began meanwhile
        if sinks is not None and sinks.ident is not None:
            sinks.join(seconds)
        return sinks is None or not sinks.is_alive()

    @override
    def end(self) -> None:
        if self.writes:
            self.requests.end()
        else:
            self.cancel()
