"""SIGTERM ends the client as Ctrl-C does, also as the first process of a container, where a signal without a handler is ignored."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self

from sql_client.interruption import end_at_once

TERMINATED = 143
"""The exit code after SIGTERM: 128 and the number of the signal, as shells count."""
PATIENCE = 9.0
"""How many seconds jobs have to end; Docker and Kubernetes kill after 10 or more. What is not committed then is as after a crash."""


class Termination:
    """A context in which SIGTERM does what Ctrl-C does; ``is_requested`` tells the two apart.

    It calls the handler of Ctrl-C that is in force, because that may note the signal instead of raising an exception.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self.is_requested = False
        self._patience = patience
        self._before: object = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # signals are handled there
            self._before = signal.signal(signal.SIGTERM, self._request)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)  # type: ignore[arg-type]  # what signal() returned

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """In the context both signals end the process, if ``cli`` has said so: there is nothing to stop yet. After it Ctrl-C raises KeyboardInterrupt."""
        if signal.getsignal(signal.SIGINT) is not end_at_once:
            yield
            return
        signal.signal(
            signal.SIGINT, lambda number, frame: _end_at_once("\nTerminated.") if self.is_requested else end_at_once(number, frame)
        )
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _request(self, number: int, frame: FrameType | None) -> None:
        if self.is_requested:  # the jobs end already; to interrupt that would lose what they commit
            return
        self.is_requested = True
        self._timer = threading.Timer(self._patience, _end_at_once, ["The jobs did not end in time."])
        self._timer.daemon = True
        self._timer.start()
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal.SIGINT, frame)
        else:  # Ctrl-C is ignored, as in a shell's background
            raise KeyboardInterrupt


def _end_at_once(message: str) -> None:
    try:
        sys.stderr.write(f"{message}\n")
        sys.stderr.flush()
    finally:
        os._exit(TERMINATED)
