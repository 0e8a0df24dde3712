"""Window assignment over whole columns; times are int64 milliseconds since 1970-01-01 00:00 in local time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

__all__ = ["AlignedWindows", "Assignment", "Integers"]

Integers = np.ndarray[Any, np.dtype[np.int64]]


class Assignment(NamedTuple):
    """Pairs of row and window: position of the row (None: each row once, in order), start and end of the window."""

    rows: pa.Array | None
    starts: pa.Array
    ends: pa.Array


class AlignedWindows(ABC):
    """Windows that depend on the row's time only.

    Windows have numbers, which ascend with their ends: each time is in windows with consecutive numbers.
    """

    latest_first: ClassVar[bool] = False
    """Whether the windows of a row are in descending order."""

    @property
    @abstractmethod
    def most(self) -> int:
        """Maximum number of windows per row."""

    @abstractmethod
    def numbers(self, times: Integers) -> tuple[Integers, Integers]:
        """Returns the numbers of the first and the last window of each time; a time without windows has a last one before the first."""

    @abstractmethod
    def bounds(self, numbers: Integers) -> tuple[Integers, Integers]:
        """Returns the starts and the ends of windows."""

    def assign(self, times: pa.Array) -> Assignment:
        """Returns the windows of the rows with these times (no NULLs), in the order of the rows."""
        first, last = self.numbers(np.asarray(times))
        counts = last - first + 1
        if (counts == 1).all():
            starts, ends = self.bounds(first)
            return Assignment(None, pa.array(starts), pa.array(ends))
        rows = np.repeat(np.arange(len(counts)), counts)
        behind = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        starts, ends = self.bounds(last[rows] - behind if self.latest_first else first[rows] + behind)
        return Assignment(pa.array(rows), pa.array(starts), pa.array(ends))
