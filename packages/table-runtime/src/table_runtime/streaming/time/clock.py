"""The clock of a run: processing time, which stands still while a batch is processed."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial


def processing_time() -> int:
    """Returns the milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class RunClock:
    """The processing time of one run. It moves between batches only, so that all rows of a batch have one time, and never goes back.

    ``read`` returns the milliseconds since 1970; None: the system's clock.
    """

    def __init__(self, read: Callable[[], int] | None = None) -> None:
        self._read = read
        self._now: int | None = None

    @property
    def now(self) -> int:
        """The time of the current batch in milliseconds since 1970."""
        return self.advance() if self._now is None else self._now

    def stop_at(self, time: int) -> None:
        """Lets the clock stand still: all further batches have one time."""
        self._read, self._now = partial(int, time), time

    def nanoseconds(self) -> int:
        """Returns ``now`` in nanoseconds."""
        return self.now * 1_000_000

    def set_least(self, time: int) -> None:
        """Sets a time before which the clock does not come: that of a run which this one continues."""
        self._now = time if self._now is None else max(self._now, time)

    def milliseconds_until(self, time: int) -> int:
        """Returns how long it takes at least until ``advance`` comes to a time; at most 0 if it does so now."""
        read = processing_time() if self._read is None else self._read()
        return time - (read if self._now is None else max(self._now, read))

    def advance(self) -> int:
        """Reads the clock; returns the time of the next batch."""
        read = processing_time() if self._read is None else self._read()
        self._now = read if self._now is None else max(self._now, read)
        return self._now
