"""The progress line on the terminal: elapsed time and progress of the running statement."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_DELAY = 0.3
"""Seconds before the line is shown, so that quick statements show none."""
_PERIOD = 0.1
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_PLAIN_FRAMES = "-\\|/"
_ERASE = "\r\033[K"


class ProgressLine:
    """Shows the engine's reports from a separate thread until ``clear``; only on a terminal that can erase a line."""

    def __init__(self, output: TextIO | None = None, *, delay: float = _DELAY) -> None:
        self._output = output if output is not None else sys.stderr
        self._delay = delay
        self._frames = _FRAMES if (getattr(self._output, "encoding", None) or "").lower().startswith("utf") else _PLAIN_FRAMES
        self._stop = threading.Event()
        self._report: tuple[str, float | None] = ("running", None)
        self._thread: threading.Thread | None = None
        self._started = time.monotonic()

    def listener(self, text: str, share: float | None = None) -> None:
        """Receives a report of the engine, from any thread; ``share`` is the progress from 0 to 1, or None."""
        self._report = (text or "running", share)

    def start(self) -> None:
        """Shows the line, if the output is a terminal."""
        if self._output.isatty() and os.environ.get("TERM") != "dumb":
            self._thread = threading.Thread(target=self._show, name="progress", daemon=True)
            self._thread.start()

    def clear(self) -> None:
        """Removes the line; a second call does nothing."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def line(self, frame: int, width: int = 80) -> str:
        """Returns the text of the line, truncated to ``width`` terminal columns."""
        text, share = self._report
        shown = f" {share:4.0%}" if share is not None else ""
        seconds = time.monotonic() - self._started
        return f"{self._frames[frame % len(self._frames)]} {seconds:5.1f} s{shown} {text} (Ctrl-C cancels)"[: max(0, width - 1)]

    def _show(self) -> None:
        if self._stop.wait(self._delay):
            return
        frame = 0
        while True:
            width = shutil.get_terminal_size().columns
            self._output.write(_ERASE + self.line(frame, width))
            self._output.flush()
            frame += 1
            if self._stop.wait(_PERIOD):
                break
        self._output.write(_ERASE)
        self._output.flush()


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """Shows a line while the block runs."""
    progress = ProgressLine()
    progress.start()
    try:
        yield progress
    finally:
        progress.clear()
