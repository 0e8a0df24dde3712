"""The tables of which an operator's state is made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import pyarrow as pa

from table_runtime.changelog.slot_groups import Slots

__all__ = ["StateTable", "content_of", "slot_rows"]


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
        """Sets the state of slots that have none to that of a snapshot; the first column is the position in ``slots``."""
