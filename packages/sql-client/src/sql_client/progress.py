"""One line on the terminal that says that a statement runs, for how long, and how far it is."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ProgressLine", "progress_line"]

_DELAY = 0.3
"""Seconds before anything is shown: quick statements show nothing."""
_PERIOD = 0.1
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class ProgressLine:
    """What the engine reports, shown by a thread of its own until ``clear``."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._text = ""
        self._share: float | None = None
        self._thread: threading.Thread | None = None
        self._started = time.monotonic()

    def listener(self, text: str, share: float | None = None) -> None:
        """Takes a report of the engine; from any thread."""
        self._text, self._share = text, share

    def start(self) -> None:
        """Begins to show the line, if standard error is a terminal."""
        if sys.stderr.isatty():
            self._thread = threading.Thread(target=self._show, name="progress", daemon=True)
            self._thread.start()

    def clear(self) -> None:
        """Takes the line away; may be called again."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def line(self, frame: int) -> str:
        """Returns the text of the line."""
        share = f" {self._share:4.0%}" if self._share is not None else ""
        text = f" {self._text}" if self._text else " running"
        return f"{_FRAMES[frame % len(_FRAMES)]} {time.monotonic() - self._started:5.1f} s{share}{text}"

    def _show(self) -> None:
        if self._stop.wait(_DELAY):
            return
        frame = 0
        while True:
            sys.stderr.write(f"\r\033[K{self.line(frame)[:100]}")
            sys.stderr.flush()
            frame += 1
            if self._stop.wait(_PERIOD):
                break
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """Shows a line while the block runs."""
    progress = ProgressLine()
    progress.start()
    try:
        yield progress
    finally:
        progress.clear()
