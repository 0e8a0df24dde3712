"""The tables of which an operator's state is made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.streaming.changes.batch import Truths
from table_runtime.streaming.changes.slot_groups import Slots


def slot_rows(columns: Sequence[pa.Array]) -> pa.RecordBatch:
    """Returns the content of slots that have one row each, whose columns are given."""
    return content_of(pa.arange(0, len(columns[0])), columns)


def content_of(places: pa.Array, columns: Sequence[pa.Array]) -> pa.RecordBatch:
    """Returns content with these positions of slots."""
    return pa.RecordBatch.from_arrays([places, *columns], [f"c{number}" for number in range(len(columns) + 1)])


class StateTable(ABC):
    """A part of an operator's state by slot, which can be written as record batches and read back, also to other slots."""

    @abstractmethod
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        """Returns the state of some slots. The first column is the position of the slot in ``slots``, ascending; slots may have any number of rows."""

    @abstractmethod
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        """Sets the state of slots that have none, or are open, to that of a snapshot; the first column is the position in ``slots``, which are all slots of it."""

    @property
    def refusal(self) -> str | None:
        """Why the state cannot be written; None if it can."""
        return None

    def take_changes(self) -> None:
        """Begins the next snapshot: ``changes`` is what has changed before, since the last call or since the state was restored."""
        return  # most tables write all of the state of a slot that was touched

    def changes(self, slots: Slots) -> pa.RecordBatch:
        """Returns the state of some slots as ``snapshot`` does, or only what has changed; such slots are open when it is restored."""
        return self.snapshot(slots)

    def is_open(self, slots: Slots) -> Truths:
        """Returns for which slots older snapshots count, too, while snapshots are restored, the newest first."""
        return np.zeros(len(slots), np.bool_)


class _HasCounts(Protocol):
    counts: np.ndarray[Any, np.dtype[np.int64]]


class SlotCounts(StateTable):
    """The number of each slot, of a state that has these as ``counts``, an array that may be replaced."""

    def __init__(self, state: _HasCounts) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        return slot_rows([pa.array(self._state.counts[slots])])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        self._state.counts[slots[content.column(0).to_numpy()]] = content.column(1).to_numpy()
