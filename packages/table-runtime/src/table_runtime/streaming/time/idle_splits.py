"""Which splits of the sources of a job are idle: they have given no rows for some time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple


def monotonic_milliseconds() -> int:
    """Returns a time in milliseconds that continues evenly, whatever happens to the clock of the machine."""
    return time.monotonic_ns() // 1_000_000


class Split(NamedTuple):
    """A split of a source of the graph, by the number of the source."""

    source: int
    split: str = ""


class IdleSplits:
    """Notes when a split was read to its end for now; ``clock`` returns milliseconds.

    A split becomes idle when it has had no rows for the timeout of its source: from the moment at which all its rows were read to another one at which it
    still had none. So a split whose rows wait to be read, because other sources have precedence or the job stood still, is not idle. A split that ended is not idle either.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._timeouts: dict[Split, int] = {}
        self._since: dict[Split, int] = {}
        self._asked: dict[Split, int] = {}
        self._idle: set[Split] = set()

    def caught_up(self, split: Split, timeout: int, at: int | None = None) -> None:
        """Called when a split had no more rows at a time of the clock, by default now; ``timeout`` is in milliseconds, 0: it never becomes idle."""
        if timeout:
            asked = self._clock() if at is None else at
            self._timeouts[split] = timeout
            self._since.setdefault(split, asked)
            self._asked[split] = asked

    def active(self, split: Split) -> bool:
        """Called when a split gave rows or ended; returns whether it was idle."""
        self._since.pop(split, None)
        was_idle = split in self._idle
        self._idle.discard(split)
        return was_idle

    def due(self) -> list[Split]:
        """Returns the splits that became idle since the last call."""
        if len(self._since) == len(self._idle):
            return []
        result = [split for split in self._since if split not in self._idle and self._left(split) <= 0]
        self._idle.update(result)
        return result

    def wait(self) -> int | None:
        """Returns how many milliseconds the next split has to continue without rows until it is idle; None: none can become idle."""
        left = [self._left(split) for split in self._since if split not in self._idle]
        return max(0, min(left)) if left else None

    def _left(self, split: Split) -> int:
        return self._timeouts[split] - (self._asked[split] - self._since[split])

    def idle_since(self, split: Split) -> int | None:
        """Returns since when a split has given no rows, in milliseconds of the clock; None if it is not idle."""
        return self._since[split] if split in self._idle else None
