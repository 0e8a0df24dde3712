"""What the source of a streaming job counts, on every engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from table_runtime.streaming.operators.operator_metrics import Loss

_UNREADABLE = Loss(
    "message or value", "messages or values", "ignored", "they could not be read, and the options of the table's format say to ignore that."
)
_ROWS, _IGNORED = "numRecordsOut", "numRecordsInErrors"


class SourceMetrics:
    """What one source counts. ``watermarks`` returns the watermark of each split that has one, ``pending`` how many rows wait in each."""

    def __init__(self, watermarks: Callable[[], Mapping[str, int]], pending: Callable[[], Mapping[str, int]]) -> None:
        self._watermarks = watermarks
        self._pending = pending
        self.rows = 0
        """The number of rows taken."""
        self.ignored = 0
        """How many messages and values of the ranges that were taken could not be read and were left out."""
        self._since = time.monotonic()

    def add(self, rows: int) -> None:
        """Counts rows that were taken."""
        if rows:
            self.rows += rows
            self._since = time.monotonic()

    def counters(self) -> Mapping[str, int]:
        """Returns what is part of a checkpoint."""
        return {_ROWS: self.rows, _IGNORED: self.ignored}

    def count_on(self, counters: Mapping[str, int]) -> None:
        """Counts on from the values of a checkpoint."""
        self.rows, self.ignored = counters.get(_ROWS, 0), counters.get(_IGNORED, 0)

    def values(self) -> Iterator[tuple[str, int]]:
        """Yields name and value of each metric."""
        yield _ROWS, self.rows
        yield "millisecondsWithoutRows", int(1000 * (time.monotonic() - self._since))
        yield _IGNORED, self.ignored
        pending = self._pending()
        if pending:
            yield "pendingRecords", sum(pending.values())
        for metric, values in (("pendingRecords", pending), ("currentWatermark", self._watermarks())):
            for split, value in sorted(values.items()):
                yield f"{split}.{metric}" if split else metric, value

    def losses(self) -> Iterator[tuple[Loss, int]]:
        """Yields the number of messages and values that were left out, if there are some."""
        if self.ignored:
            yield _UNREADABLE, self.ignored
