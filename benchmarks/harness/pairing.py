"""Timing pairs: both sides once in each round, one after the other, in alternating order.

What counts is the median of the rounds' ratios, since a machine's speed drifts between rounds and not within one.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["interleaved", "medians", "timed"]

_Q = TypeVar("_Q")


def timed(action: Callable[[_Q], object], query: _Q, clock: Callable[[], float] = time.perf_counter) -> float:
    """Returns the seconds that an action takes: as they pass, or by ``time.process_time`` those of all threads of the process."""
    started = clock()
    action(query)
    return clock() - started


def interleaved(
    ours: Callable[[_Q], object],
    theirs: Callable[[_Q], object],
    queries: tuple[_Q, _Q],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[tuple[float, float]]:
    """Returns the seconds of both sides per round; who goes first alternates."""
    timings = []
    for number in range(rounds):
        if number % 2 == 0:
            first = timed(ours, queries[0], clock)
            timings.append((first, timed(theirs, queries[1], clock)))
        else:
            second = timed(theirs, queries[1], clock)
            timings.append((timed(ours, queries[0], clock), second))
    return timings


def medians(timings: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Returns the median milliseconds of ours, of theirs, and the median of the ratios."""
    ours, theirs = zip(*timings, strict=True)
    return statistics.median(ours) * 1000, statistics.median(theirs) * 1000, statistics.median(one / other for one, other in timings)
