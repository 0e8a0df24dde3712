"""The jobs of a session: those that run, and for SHOW JOBS also the last ones that have ended."""

from __future__ import annotations

import sys
import time
import weakref
from collections import deque
from collections.abc import Iterator
from importlib.util import find_spec

from table_api.delegation import JobClient, JobStatus
from table_api.jobs.job import Job

_REMEMBERED = 100


class StartedJob:
    """What SHOW JOBS says of a job. It does not keep the rows of the job in memory."""

    def __init__(self, client: JobClient, name: str) -> None:
        self.job_id = client.job_id
        self.name = name
        self.start_time = time.time()
        """Seconds since 1970."""
        self._client = weakref.ref(client)
        self._last = JobStatus.RUNNING

    @property
    def client(self) -> JobClient | None:
        """The client; None if the program has dropped the result."""
        return self._client()

    @property
    def status(self) -> JobStatus:
        """The status; of a result that was discarded unread, the last known one."""
        client = self._client()
        if client is not None:
            self._last = client.get_job_status()
        elif not self._last.is_terminal_state():
            self._last = JobStatus.CANCELED  # without a client nobody can read the rows
        return self._last


class SessionJobs:
    """Registers the jobs that a session starts."""

    def __init__(self) -> None:
        self._running: set[Job] = set()
        self._started: deque[StartedJob] = deque(maxlen=_REMEMBERED)

    def add(self, job: Job) -> None:
        """Registers a job that was started."""
        self._running.add(job)
        self._started.append(StartedJob(job.client, job.name))

    def ended(self, job: Job) -> None:
        """Forgets a job whose rows were read, or that was cancelled; SHOW JOBS still has its status."""
        self._running.discard(job)
        job_id = job.client.job_id
        for started in reversed(list(self._started)):  # mostly the last one
            if started.job_id == job_id:
                _ = started.status  # noted while there is a client
                return

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._running))

    def started(self) -> list[StartedJob]:
        """Returns the last jobs, at most a hundred, in the order in which they started."""
        return list(self._started)


def load_what_late_threads_cannot() -> None:
    """Imports ``concurrent.futures`` where an engine may need it: a thread that outlives the main thread could not.

    Of what engines use, pandas and PySpark import it.
    """
    if "concurrent.futures.thread" not in sys.modules and any(map(find_spec, ("pandas", "pyspark"))):
        import concurrent.futures.thread  # noqa: F401  # for its effect
