"""What one run of an operator tree shares: the wish to stop, the threads, the progress listener, what is to be cleaned up."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from table_common.exceptions import JobCancelledException

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["CancellationToken", "ExecutionContext"]

_T = TypeVar("_T")
_R = TypeVar("_R")


class CancellationToken:
    """A wish to stop that any thread may utter and every operator hears between two batches."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Asks to stop; stays so."""
        self._event.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._event.is_set()

    def check(self) -> None:
        """Raises ``JobCancelledException`` if somebody asked to stop."""
        if self._event.is_set():
            raise JobCancelledException("The job was cancelled.")


class ExecutionContext:
    """One run of an operator tree. Close it when the run ends: threads stop then.

    ``parallelism`` is how many threads compute at once (1: none but the caller's).
    """

    def __init__(
        self,
        *,
        job_id: str | None = None,
        parallelism: int | None = None,
        token: CancellationToken | None = None,
        progress: Callable[[str, float | None], None] | None = None,
    ) -> None:
        self.job_id = job_id if job_id is not None else uuid.uuid4().hex
        self.parallelism = parallelism if parallelism is not None else (os.cpu_count() or 1)
        self.token = token if token is not None else CancellationToken()
        self._progress = progress
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._shared: dict[int, Any] = {}

    def check(self) -> None:
        """Raises ``JobCancelledException`` if the job was cancelled."""
        self.token.check()

    def report(self, text: str, share: float | None = None) -> None:
        """Tells the listener, if there is one, what is being done and the share done (None if unknown)."""
        if self._progress is not None:
            self._progress(text, share)

    def submit(self, function: Callable[[_T], _R], item: _T) -> Future[_R]:
        """Computes ``function(item)`` on one of the threads of this run, which are made when first asked for.

        While the program ends Python takes no more work for threads; the caller's thread then does it.
        """
        try:
            return self._threads().submit(function, item)
        except RuntimeError:
            from concurrent.futures._base import Future  # the package itself cannot be imported any more

            done: Future[_R] = Future()
            try:
                done.set_result(function(item))
            except BaseException as error:
                done.set_exception(error)
            return done

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                from concurrent.futures import ThreadPoolExecutor

                self._pool = ThreadPoolExecutor(self.parallelism, thread_name_prefix=f"table-{self.job_id[:8]}")
            return self._pool

    def shared(self, key: int, make: Callable[[], Any]) -> Any:
        """Returns the state that all readers of an operator share in this run."""
        with self._lock:
            if key not in self._shared:
                self._shared[key] = make()
            return self._shared[key]

    def close(self) -> None:
        """Stops the threads once what they do now is done."""
        with self._lock:
            pool, self._pool = self._pool, None
            self._shared.clear()
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)
