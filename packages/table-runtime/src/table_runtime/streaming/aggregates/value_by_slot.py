"""The base class of aggregates whose state is one value of any Arrow type by slot."""

from __future__ import annotations

import pyarrow as pa

from table_common.annotation import override
from table_runtime.streaming.aggregates.function import FunctionState
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.arrow_column import ArrowColumn
from table_runtime.streaming.state.state_table import slot_rows


class ValueBySlotState(FunctionState):
    """One value of type ``type_`` by slot, which is the result; NULL if there is none."""

    def __init__(self, type_: pa.DataType) -> None:
        self._values = ArrowColumn(type_)

    @override
    def reserve(self, size: int) -> None:
        self._values.reserve(size)

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        return slot_rows([self._values.get(slots)])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        self._values.set(slots[content.column(0).to_numpy()], content.column(1))

    @override
    def current(self, slots: Slots) -> pa.Array:
        return self._values.get(slots)
