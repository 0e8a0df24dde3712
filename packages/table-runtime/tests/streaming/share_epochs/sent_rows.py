"""Rows of this process that are sent to nobody."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_runtime.streaming.share_epochs.epoch_source import Reads
from table_runtime.streaming.share_epochs.reader_cache import SplitRows

__all__ = ["Carried", "SentRows"]


class Carried:
    """Reads the rows that it holds."""

    def __init__(self, batches: Sequence[pa.RecordBatch]) -> None:
        self.batches = batches

    def __call__(self) -> SplitRows:
        return SplitRows(iter(self.batches))


class SentRows:
    """Keeps rows in the object that reads them."""

    def send(self, batches: Sequence[pa.RecordBatch]) -> Reads:
        """Returns what reads the rows."""
        return Carried(batches)

    def clear(self) -> None:
        """Forgets the rows."""
