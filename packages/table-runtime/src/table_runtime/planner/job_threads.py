"""The threads on which jobs run. The thread of a short job waits a moment for the next job: starting a thread takes longer than a small query.

The thread of a long job ends with it, because the memory allocator keeps freed memory for each thread.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import Context
from queue import Empty, SimpleQueue

from table_common.annotation import override
from table_common.restrictions import keeping_restrictions

IDLE_SECONDS = 1.0
"""Seconds that a thread waits for another job."""
SHORT_SECONDS = 0.1
"""The longest run after which a thread waits for another job, in seconds."""
MOST_IDLE = 4
"""The maximum number of waiting threads."""


class JobRun:
    """The run of a job on a thread. The function returns whether the thread can run another job afterwards."""

    def __init__(self, name: str, work: Callable[[], bool]) -> None:
        self.name = name
        self._work: Callable[[], bool] | None = keeping_restrictions(work)
        self._running = threading.Lock()
        self._running.acquire()
        self._has_ended = False
        self._thread: JobThread | None = None

    def start(self) -> None:
        """Starts the run on a waiting thread, or on a new one."""
        thread = _waiting_thread()
        self._thread = thread if thread is not None else JobThread()
        self._thread.give(self)
        if thread is None:
            self._thread.start()

    def work(self) -> bool:
        """Runs the job, once, in a context of its own, as on a new thread; returns whether the thread can run another job."""
        work, self._work = self._work, None
        try:
            return work is not None and Context().run(work)
        finally:
            del work

    def end(self) -> None:
        """Called once, at the end of the run."""
        self._has_ended = True
        self._running.release()

    @property
    def is_current(self) -> bool:
        """Whether the caller is the thread of this run."""
        return self._thread is threading.current_thread()

    def wait(self, seconds: float) -> bool:
        """Waits for the end of the run; returns False after the timeout."""
        if not self._has_ended and self._running.acquire(timeout=seconds):
            self._running.release()
        # Another thread that waits too may have the lock for a moment. A forked process has no thread.
        return self._has_ended or self._thread is None or not self._thread.is_alive()


class JobThread(threading.Thread):
    """A thread that runs jobs one after the other."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._runs: SimpleQueue[JobRun] = SimpleQueue()

    def give(self, run: JobRun) -> None:
        """Hands over the next run."""
        self.name = run.name
        self._runs.put(run)

    @override
    def run(self) -> None:
        waits = True
        while waits and (run := self._next()) is not None:
            started = time.monotonic()
            try:
                waits = run.work() and time.monotonic() - started < SHORT_SECONDS and len(_waiting) < MOST_IDLE
                if waits:
                    _waiting.append(self)
            finally:
                run.end()
                del run

    def _next(self) -> JobRun | None:
        try:
            return self._runs.get(timeout=IDLE_SECONDS)
        except Empty:
            pass
        try:
            _waiting.remove(self)
        except ValueError:  # a run has taken this thread just now
            return self._runs.get()
        return None


_waiting: deque[JobThread] = deque()
"""Its methods are atomic, so no lock could be held while a process forks."""


def _waiting_thread() -> JobThread | None:
    """Takes a waiting thread; None if there is none, or if a debugger or profiler follows the threads that start from now on."""
    if threading.gettrace() is not None or threading.getprofile() is not None:
        return None
    while True:
        try:
            thread = _waiting.pop()
        except IndexError:
            return None
        if thread.is_alive():  # not in a forked process
            return thread
