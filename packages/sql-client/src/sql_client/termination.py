"""SIGTERM ends the client as Ctrl-C does, also as the first process of a container, where a signal without a handler is ignored."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Self

__all__ = ["PATIENCE", "TERMINATED", "Termination"]

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

    def _request(self, number: int, frame: FrameType | None) -> None:
        if self.is_requested:  # the jobs end already; to interrupt that would lose what they commit
            return
        self.is_requested = True
        self._timer = threading.Timer(self._patience, _end_at_once)
        self._timer.daemon = True
        self._timer.start()
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal.SIGINT, frame)
        else:  # Ctrl-C is ignored, as in a shell's background
            raise KeyboardInterrupt


def _end_at_once() -> None:
    try:
        sys.stderr.write("The jobs did not end in time.\n")
        sys.stderr.flush()
    finally:
        os._exit(TERMINATED)
