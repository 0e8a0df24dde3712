"""A source of a streaming job as the client sees it: what an epoch reads of it, and where the next one begins."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from table_runtime.streaming.graph.graph import Source
from table_runtime.streaming.share_epochs.reader_cache import SplitRows

Reads = Callable[[], SplitRows]
"""Reads a split in a worker; can be pickled."""


class PartsOfSplit(Protocol):
    """What an epoch reads of a split in several tasks, which only its engine knows."""

    @property
    def parts(self) -> Sequence[Any]:
        """The parts, a task each."""


class RowSender(Protocol):
    """Sends rows of this process to workers."""

    def send(self, batches: Sequence[pa.RecordBatch]) -> Reads:
        """Returns what reads the rows in a worker; there is at least one batch."""

    def clear(self) -> None:
        """Forgets the rows, which have been read."""


class EpochSource(ABC):
    """A source whose rows are read epoch by epoch: ``plan`` says what the next epoch reads, and ``taken`` that it has."""

    def __init__(self, source: Source, position: Mapping[str, Any], splits: Iterable[str]) -> None:
        """``position`` is where it continues, as in manifests; ``splits`` are those that are known from the state of the job."""
        self.source = source
        self.has_ended = bool(position.get("ended"))
        self.splits = set(splits)
        self.ending: set[str] = set()
        """The splits of the epoch after which they have no more rows, while the source may continue."""
        self.is_read = False
        """Whether all rows have been read that were there, if the job reads no others."""
        self._seen: dict[str, float] = {}

    @property
    @abstractmethod
    def position(self) -> Mapping[str, Any]:
        """Where the source continues after the epoch that ``plan`` was called for."""

    @abstractmethod
    def plan(self) -> Mapping[str, Reads | PartsOfSplit]:
        """Returns what the next epoch reads, by splits: nothing if there are no new rows. May find that the source has ended.

        Raises:
            TableRuntimeException: the source failed.
        """

    def read(self, rows: int) -> None:  # noqa: B027  # a source with offsets need not know
        """Says how many rows the epoch has read; called before its ``position`` is asked for."""

    def note_rows(self, splits: Iterable[str]) -> None:
        """Notes that splits have rows now."""
        now = time.monotonic()
        self._seen.update(dict.fromkeys(splits, now))

    def idle_splits(self) -> Mapping[str, bool]:
        """Returns the splits, and whether each has given no rows for the idle timeout."""
        if self.has_ended:
            return {}
        now, timeout = time.monotonic(), self.source.idle_timeout / 1000
        return {name: bool(timeout) and now - self._seen.setdefault(name, now) >= timeout for name in self.splits}

    @abstractmethod
    def taken(self) -> None:
        """Follows the epoch: the source continues after it."""

    def committed(self) -> None:  # noqa: B027  # few sources want to know it
        """Follows the decision of a checkpoint: rows before the position are not needed again."""

    def wait(self, seconds: float) -> bool:
        """Waits for new rows, at most ``seconds`` seconds; returns whether there may be some."""
        return False

    @abstractmethod
    def close(self) -> None:
        """Ends the use of the source in this process."""
