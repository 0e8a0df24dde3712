"""The worker threads of a run.

Unlike the threads of an executor they do not delay the end of the process: a thread that is stuck in a user function is abandoned.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar, cast

from table_common.restrictions import keeping_restrictions
from table_runtime.cancellation import CancellationToken
from table_runtime.run.traceback_locals import forget_locals

_R = TypeVar("_R")
POLL_SECONDS = 0.1
"""Seconds between two checks for cancellation while a thread waits."""
STUCK_SECONDS = 0.3
"""Maximum seconds that the end of a run waits for its threads. A running kernel ends within that time, a stuck function does not."""


class Task(Generic[_R]):
    """A function call that a worker thread runs, and its result (a future).

    ``others`` runs one of the tasks that wait, if there is one, and returns whether it did.
    """

    __slots__ = ("_error", "_function", "_is_cancelled", "_others", "_started", "_token", "_value", "_working")

    def __init__(self, function: Callable[[], _R], token: CancellationToken, others: Callable[[], bool] = lambda: False) -> None:
        self._others = others
        self._function: Callable[[], _R] | None = keeping_restrictions(function)
        self._token = token
        # Locks, because an Event is implemented in Python, and an interruption could leave it in an inconsistent state.
        self._working = threading.Lock()
        self._working.acquire()
        self._started = threading.Lock()
        self._is_cancelled = False
        self._value: _R | None = None
        self._error: BaseException | None = None

    def cancel(self) -> None:
        """Cancels the task if it has not started."""
        self._is_cancelled = True

    def run(self) -> None:
        """Runs the task on this thread and stores its result or error, unless a thread runs it or has run it."""
        if not self._started.acquire(blocking=False):
            return
        function, self._function = self._function, None
        try:
            if function is not None and not self._is_cancelled:
                self._value = self._token.run(function)
        except BaseException as error:
            forget_locals(error)
            self._error = error
        finally:
            del function
            self._working.release()

    def result(self) -> _R:
        """Returns the result; may be called once.

        Runs the task if no thread has begun it, so tasks may wait for tasks. While another thread runs it, this one runs tasks that wait.

        Raises:
            JobCancelledException: the run was cancelled.
        """
        self.run()
        while not self._working.acquire(blocking=False):
            if not self._others():
                if self._working.acquire(timeout=POLL_SECONDS):
                    break
                self._token.check()
        if self._error is not None:
            raise self._error
        return cast("_R", self._value)


class _Helping(threading.local):
    """Whether this thread runs a task while it waits for another one: then it does not begin a third one, which could nest without end."""

    is_active = False


_helping = _Helping()


class WorkerThreads:
    """At most ``count`` threads, created on demand. The thread that waits for a result is one more that computes."""

    def __init__(self, count: int, name: str) -> None:
        self._count = count
        self._name = name
        self._tasks: SimpleQueue[Task[object] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._is_closed = False

    def start(self, task: Task[_R]) -> Task[_R]:
        """Runs the task on a worker thread; on the calling thread if the interpreter is shutting down and no thread can be started."""
        self._tasks.put(cast("Task[object]", task))
        with self._lock:
            if len(self._threads) < self._count:
                thread = threading.Thread(target=self._work, name=f"{self._name}-{len(self._threads)}", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    if not self._threads:
                        self._drain()
                else:
                    self._threads.append(thread)
        return task

    def run_next(self) -> bool:
        """Runs on this thread the task that waits longest; False if none waits, or this thread does so already."""
        if _helping.is_active:
            return False
        try:
            task = self._tasks.get_nowait()
        except Empty:
            return False
        if task is None:  # the end for one of the threads
            self._tasks.put(None)
            return False
        _helping.is_active = True
        try:
            task.run()
        finally:
            _helping.is_active = False
        return True

    def close(self) -> None:
        """Stops the threads after their current tasks; stuck threads are abandoned."""
        for _ in self._threads:
            self._tasks.put(None)
        deadline = time.monotonic() + STUCK_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _drain(self) -> None:
        while not self._tasks.empty():
            task = self._tasks.get()
            if task is not None:
                task.run()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task.run()
            del task
