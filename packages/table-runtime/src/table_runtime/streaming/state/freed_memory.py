"""Keeps freed memory in the process between batches, and returns it to the system once in a while."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache

import numpy as np

_BLOCK = 31 << 20
_M_ARENA_MAX = -8
"""The number of the parameter in ``malloc.h``."""
_HEAPS = 2
_SECONDS = 10.0
"""How often freed memory is returned: the pages that are needed again are cleared again, which takes some milliseconds."""


@cache
def keep_freed_memory() -> None:
    """Makes glibc keep up to twice ``_BLOCK`` freed bytes; once per process. Other allocators do not change.

    An operator allocates and frees the same arrays for each batch. By default glibc returns them to the system and clears the pages again,
    which takes a third of the time of an aggregation. It adapts its thresholds to the largest block up to 32 MiB that was freed
    (``mallopt(3)``, ``M_MMAP_THRESHOLD``), so one block is allocated, which is never written, and freed.
    """
    np.empty(_BLOCK, np.uint8)


class FreedMemory:
    """Returns memory that was freed to the system, every ``_SECONDS``, for a query that runs for long.

    With ``shares_heaps``, for a job that runs for days: glibc has up to eight heaps per processor for the threads, and keeps what is free in each: a burst of rows that comes on another thread than the last one would make
    the process larger each time, and pages that are in use in part stay. So threads share two heaps, unless the user says how many with
    ``MALLOC_ARENA_MAX`` or ``GLIBC_TUNABLES``. Nothing is done with other allocators.
    """

    def __init__(self, *, shares_heaps: bool) -> None:
        self._returned = time.monotonic()
        if shares_heaps:
            _share_heaps()

    def look(self) -> bool:
        """Called again and again; returns memory if it is time, and whether it did."""
        now = time.monotonic()
        if now - self._returned < _SECONDS:
            return False
        self._returned = now
        return return_memory()


def return_memory() -> bool:
    """Returns memory that was freed to the system, and whether the allocator can."""
    return _trim()(0) >= 0


@cache
def _share_heaps() -> None:
    """Limits the number of heaps that glibc makes from now on; once per process."""
    import ctypes

    if not {"MALLOC_ARENA_MAX", "GLIBC_TUNABLES"}.intersection(os.environ):
        with suppress(AttributeError, OSError, TypeError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _HEAPS)


@cache
def _trim() -> Callable[[int], int]:
    """Returns ``malloc_trim``, or what does nothing where it is not."""
    import ctypes  # only jobs that run for some time need it

    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # TypeError: Windows
        return lambda _: -1
