"""Waits for conditions."""

from __future__ import annotations

import faulthandler
import sys
import time
from collections.abc import Callable

__all__ = ["eventually"]


def eventually(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    """Waits until something holds; if that takes too long, prints what all threads do."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= deadline:
            faulthandler.dump_traceback(sys.__stderr__)
            raise AssertionError("it did not happen")
        time.sleep(0.005)
