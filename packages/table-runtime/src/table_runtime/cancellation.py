"""Cancels a run: its threads are interrupted between two Python bytecode instructions.

Most of a run is Python code that calls short kernels. Instead of polling a flag everywhere, a thread is *interruptible* while it works for
a run: cancellation raises ``Interrupted`` in it before its next instruction. Python cannot interrupt a call into compiled code. So kernels
get slices of large data, and threads that wait for others use short timeouts. A thread that is blocked in a user function, for example in
``time.sleep``, is abandoned; it ends when the function returns.
"""

from __future__ import annotations

import _imp
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from table_common.exceptions import JobCancelledException

__all__ = ["CancellationToken", "Interrupted", "calling", "current_check"]

_R = TypeVar("_R")
_RETRY_SECONDS = 0.002
"""Seconds between two attempts to interrupt a thread that cannot be interrupted now."""


class Interrupted(BaseException):
    """Raised in the threads of a cancelled run; not an ``Exception``, so that no handler treats it as a failure."""


class _Current(threading.local):
    token: CancellationToken | None = None


_current = _Current()


class CancellationToken:
    """Cancellation flag of a run, which any thread may set; setting it interrupts the run's threads."""

    __slots__ = ("_busy", "_calls", "_is_set", "_lock", "_threads")

    def __init__(self) -> None:
        self._is_set = False
        self._lock = threading.RLock()  # reentrant: the garbage collector may cancel while this thread holds the lock
        self._threads: dict[int, int] = {}
        self._calls: dict[int, str] = {}
        self._busy: frozenset[int] = frozenset()

    def cancel(self) -> None:
        """Cancels the run and interrupts its threads; cannot be undone."""
        with self._lock:
            if self._is_set:
                return
            self._is_set = True
            _notice_lost_interruptions()
            busy = [thread for thread in self._threads if thread != threading.get_ident() and not _interrupt(thread)]
            self._busy = frozenset(busy)
        if busy:
            self._start_interrupting(busy)

    def _start_interrupting(self, threads: list[int]) -> None:
        threading.Thread(target=self._interrupt_later, args=(threads,), name="table-cancel", daemon=True).start()

    def _interrupt_later(self, threads: list[int]) -> None:
        """Interrupts threads that imported a module or started a thread, once that is done."""
        while threads:
            time.sleep(_RETRY_SECONDS)
            with self._lock:
                still = [thread for thread in threads if thread in self._threads and not _interrupt(thread)]
                self._busy -= frozenset(threads).difference(still)
                threads = still

    def interrupt_again(self) -> None:
        """Interrupts the current thread again later: Python drops interruptions in callbacks of weak references and in finalizers."""
        self._start_interrupting([threading.get_ident()])

    @property
    def is_cancelled(self) -> bool:
        """Whether the run was cancelled."""
        return self._is_set

    @property
    def is_importing(self) -> bool:
        """Whether a thread of the cancelled run is not interrupted yet, because it imports a module (or starts a thread)."""
        return bool(self._busy)

    def check(self) -> None:
        """Raises ``JobCancelledException`` if the run was cancelled."""
        if self._is_set:
            raise JobCancelledException("The job was cancelled.")

    def run(self, function: Callable[[], _R]) -> _R:
        """Returns ``function()``; this thread is interruptible meanwhile.

        Raises:
            JobCancelledException: the run was cancelled.
        """
        thread = threading.get_ident()
        previous = _current.token
        try:
            try:
                self._enter(thread)
                _current.token = self
                return function()
            finally:
                self._leave(thread, previous)
        except Interrupted:
            self._leave(thread, previous)  # the interruption may arrive while the thread leaves
            _release_import_lock()
            raise JobCancelledException("The job was cancelled.") from None

    @property
    def called_functions(self) -> list[str]:
        """The user functions that threads of the run are executing."""
        with self._lock:
            return sorted(set(self._calls.copy().values()))

    def _enter(self, thread: int) -> None:
        with self._lock:
            self.check()
            self._threads[thread] = self._threads.get(thread, 0) + 1

    def _leave(self, thread: int, previous: CancellationToken | None) -> None:
        _current.token = previous
        with self._lock:
            depth = self._threads.pop(thread, 0)
            if depth > 1:
                self._threads[thread] = depth - 1
                return
            self._calls.pop(thread, None)
            if self._is_set:
                _withdraw_interruption(thread)


def current_check() -> Callable[[], None]:
    """Returns a thread-safe function that raises ``JobCancelledException`` once the current thread's run is cancelled."""
    token = _current.token
    return token.check if token is not None else _nothing


def _nothing() -> None:
    pass


class calling:  # noqa: N801  # used like a function of contextlib
    """Context manager that registers a call of a user function, for the error message of a run that does not stop.

    Not a generator: an interrupted generator would be finalized by the thread that collects it.
    """

    __slots__ = ("_calls", "_function", "_outer")

    def __init__(self, function: str) -> None:
        self._function = function
        self._outer: str | None = None
        self._calls: dict[int, str] | None = None

    def __enter__(self) -> None:
        token = _current.token
        if token is not None:
            thread = threading.get_ident()
            self._calls = token._calls
            self._outer = self._calls.get(thread)
            self._calls[thread] = self._function

    def __exit__(self, *error: object) -> None:
        if self._calls is None:
            return
        if self._outer is None:
            self._calls.pop(threading.get_ident(), None)
        else:
            self._calls[threading.get_ident()] = self._outer


class _LostInterruptions:
    """A ``sys.unraisablehook``: Python drops exceptions in callbacks of weak references and in finalizers, and reports them here."""

    def __init__(self, previous: Callable[[sys.UnraisableHookArgs], object]) -> None:
        self._previous = previous

    def __call__(self, unraisable: sys.UnraisableHookArgs) -> None:
        token = _current.token
        if unraisable.exc_type is Interrupted:
            if token is not None:
                token.interrupt_again()
        else:
            self._previous(unraisable)


def _notice_lost_interruptions() -> None:
    if not isinstance(sys.unraisablehook, _LostInterruptions):
        sys.unraisablehook = _LostInterruptions(sys.unraisablehook)


_STARTS_THREAD = threading.Thread.start.__code__


def _interrupt(thread: int) -> bool:
    """Interrupts a thread unless it imports a module or starts a thread; False if it does.

    An import would never release its lock. A thread that is being started has the identity of its creator until it runs, and would be
    interrupted in its place; the creator would then wait for it forever.
    """
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if frame.f_code is _STARTS_THREAD or frame.f_code.co_filename.startswith("<frozen importlib"):
            return False
        frame = frame.f_back
    _raise_in(thread, Interrupted)
    return True


def _release_import_lock() -> None:
    """Releases the global import lock if this thread holds it: an import may have begun just before the interruption."""
    with suppress(RuntimeError):  # this thread does not hold it
        while _imp.lock_held():
            _imp.release_lock()


def _withdraw_interruption(thread: int) -> None:
    """Removes an interruption of this thread that may be pending, by raising it here.

    CPython could also replace the pending error by none. Then it would keep the flag that an error is pending, for all threads: each call and
    each loop is slower, and Python 3.11 never ends a function that a profiler or debugger traces.
    """
    with suppress(Interrupted):
        _raise_in(thread, Interrupted)
        while True:  # the error is raised before an instruction that jumps back
            pass


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Raises an error in a thread before its next instruction."""
    import ctypes  # only cancelled runs need it

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
