"""Objects of users by slot, one per key, written as columns of their declared type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.functions import ExtractedType
from table_runtime.aggregates.accumulator_columns import AccumulatorColumns
from table_runtime.streaming.changes.batch import Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.state_table import StateTable, content_of


class ObjectColumn(StateTable):
    """An object per slot, or None. ``values`` has the objects by slot, up to the last one that was set."""

    def __init__(self, name: str, declared: ExtractedType) -> None:
        self.values: list[Any] = []
        self._written = AccumulatorColumns(name, declared, "state object")

    def grow(self, size: int) -> None:
        """Makes room for slots below ``size``."""
        if len(self.values) < size:
            self.values.extend([None] * (size - len(self.values)))

    def value_of(self, slot: int) -> Any:
        """Returns the object of a slot, or None."""
        return self.values[slot] if 0 <= slot < len(self.values) else None

    def has(self, slots: Slots) -> Truths:
        """Returns which slots have an object."""
        values, size = self.values, len(self.values)
        return np.array([slot < size and values[slot] is not None for slot in slots.tolist()], np.bool_)

    @property
    @override
    def refusal(self) -> str | None:
        return self._written.refusal

    def write(self, values: Sequence[Any]) -> pa.Array:
        """Returns objects as a column of their declared type.

        Raises:
            TableRuntimeException: one is not of this type.
        """
        return self._written.write(values)

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        places = np.flatnonzero(self.has(slots))
        values = self.values
        return content_of(pa.array(places), [self.write([values[slot] for slot in slots[places].tolist()])])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        if not content.num_rows:
            return
        restored = slots[content.column(0).to_numpy()].tolist()
        self.grow(max(restored) + 1)
        for slot, value in zip(restored, self._written.read(content.column(1)), strict=True):
            self.values[slot] = value
