"""Cancelling a run: its threads stop between two steps of Python, wherever they are.

Most of a run is Python code that calls short kernels. Instead of asking everywhere whether the run was cancelled, a thread is *interruptible* while
it works for a run: cancelling raises ``Interrupted`` in it before its next step. What Python cannot interrupt is one call into compiled code, so
kernels are given slices of large data, and threads that wait for others wait in short steps. A function of the user's that waits, as in
``time.sleep``, is left alone with its thread, which ends when the function returns.
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
_IMPORT_SECONDS = 0.002
"""How long an interruption waits for a thread that imports a module, before it looks again."""


class Interrupted(BaseException):
    """Is raised in the threads of a cancelled run; no ``except Exception`` of user code or of ours takes it for a failure."""


class _Current(threading.local):
    token: CancellationToken | None = None


_current = _Current()


class CancellationToken:
    """A wish to stop that any thread may utter, and that interrupts those that work for the run."""

    __slots__ = ("_calls", "_event", "_lock", "_threads")

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.RLock()  # the garbage collector may cancel while this thread holds it
        self._threads: dict[int, int] = {}
        self._calls: dict[int, str] = {}

    def cancel(self) -> None:
        """Asks to stop; stays so."""
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            importing = [thread for thread in self._threads if thread != threading.get_ident() and not _interrupt(thread)]
        if importing:
            threading.Thread(target=self._interrupt_later, args=(importing,), name="table-cancel", daemon=True).start()

    def _interrupt_later(self, threads: list[int]) -> None:
        """Interrupts threads that import a module when they are done with it."""
        while threads:
            time.sleep(_IMPORT_SECONDS)
            with self._lock:
                threads = [thread for thread in threads if thread in self._threads and not _interrupt(thread)]

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._event.is_set()

    def check(self) -> None:
        """Raises ``JobCancelledException`` if somebody asked to stop."""
        if self._event.is_set():
            raise JobCancelledException("The job was cancelled.")

    def run(self, function: Callable[[], _R]) -> _R:
        """Returns ``function()``; this thread is interruptible meanwhile.

        Raises:
            JobCancelledException: somebody asked to stop.
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
            self._leave(thread, previous)  # it may have come while the thread was leaving
            _release_import_lock()
            raise JobCancelledException("The job was cancelled.") from None

    @property
    def called_functions(self) -> list[str]:
        """The user functions that threads of the run are calling now."""
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
            if self._event.is_set():
                _raise_in(thread, None)


def current_check() -> Callable[[], None]:
    """Returns what raises ``JobCancelledException`` once the run for which this thread works is cancelled; any thread may call it."""
    token = _current.token
    return token.check if token is not None else _nothing


def _nothing() -> None:
    pass


class calling:  # noqa: N801  # is used as a function of contextlib would be
    """Says that this thread calls a user function: an error of a run that does not stop names it.

    No generator: one that an interruption leaves half done is ended by whatever thread collects it.
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


def _interrupt(thread: int) -> bool:
    """Interrupts a thread, unless it imports a module: it would keep the lock of all imports, or that of the module, for ever."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return False
        frame = frame.f_back
    _raise_in(thread, Interrupted)
    return True


def _release_import_lock() -> None:
    """Releases the lock of all imports if this thread has kept it: it may have begun to import just before it was interrupted."""
    with suppress(RuntimeError):  # it has not
        while _imp.lock_held():
            _imp.release_lock()


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raises an error in a thread before its next step; None takes back one that was not raised yet."""
    import ctypes  # only runs that are cancelled need it

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), None if error is None else ctypes.py_object(error))
