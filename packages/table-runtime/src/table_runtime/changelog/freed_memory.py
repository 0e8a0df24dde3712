"""Keeps freed memory in the process between batches."""

from __future__ import annotations

from functools import cache

import numpy as np

__all__ = ["keep_freed_memory"]

_BLOCK = 31 << 20


@cache
def keep_freed_memory() -> None:
    """Makes glibc keep up to twice ``_BLOCK`` freed bytes; once per process. Other allocators do not change.

    An operator allocates and frees the same arrays for each batch. By default glibc returns them to the system and clears the pages anew,
    which takes a third of the time of an aggregation. It adapts its thresholds to the largest block up to 32 MiB that was freed
    (``mallopt(3)``, ``M_MMAP_THRESHOLD``), so one block is allocated, which is never written, and freed.
    """
    np.empty(_BLOCK, np.uint8)
