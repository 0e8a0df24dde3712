"""A number for each key."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.streaming.changes.batch import Times
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.state_table import StateTable, slot_rows


class SlotNumbers(StateTable):
    """One integer for each slot; ``fill`` for slots that were not written."""

    def __init__(self, fill: int) -> None:
        self.values: Times = np.full(1024, fill, np.int64)
        self._fill = fill

    def reserve(self, size: int) -> None:
        """Makes room for the slots below ``size``."""
        self.values = grown(self.values, size, self._fill)

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        return slot_rows([pa.array(self.values[slots])])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        self.values[slots[content.column(0).to_numpy()]] = content.column(1).to_numpy()
