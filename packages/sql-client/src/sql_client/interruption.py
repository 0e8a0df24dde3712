"""Ctrl-C while the client starts: it ends the process at once. This module imports nothing that takes time."""

from __future__ import annotations

import os
from types import FrameType

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 and the number of the signal, as shells count."""


def end_at_once(number: int, frame: FrameType | None) -> None:
    """Ends the process, as a handler of Ctrl-C. An exception could be raised within an import, where Python may print it and continue."""
    try:
        os.write(2, b"\nInterrupted.\n")
    finally:
        os._exit(INTERRUPTED)
