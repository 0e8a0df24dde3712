"""ROW_NUMBER, RANK and DENSE_RANK in the order of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.over.calls import CallState, OverCalls, OverRows
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.slot_numbers import SlotNumbers
from table_runtime.streaming.state.state_table import StateTable


class RankKind(Enum):
    """The functions."""

    ROW_NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE_RANK = "DENSE_RANK"


class RankState(CallState):
    """How many rows, and how many different times, each partition had."""

    def __init__(self, keys: KeySlots) -> None:
        self._keys = keys
        self.rows = SlotNumbers(0)
        self.times = SlotNumbers(0)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        for table in (self.rows, self.times):
            table.reserve(max(self._keys.size, 1))
        return {"rows": self.rows, "times": self.times}


class OverRank(OverCalls[RankState]):
    """One rank. All rows of a partition with one time are evaluated together, so a rank never changes later."""

    def __init__(self, column: int, kind: RankKind, output_type: pa.DataType) -> None:
        self.columns = (column,)
        self._kind = kind
        self._type = output_type

    @override
    def create_state(self, context: ExecutionContext, keys: KeySlots) -> RankState:
        return RankState(keys)

    @override
    def results(self, rows: OverRows, state: RankState) -> Sequence[pa.Array]:
        state.tables()
        slots = rows.slots[rows.starts]
        first = np.repeat(rows.starts, rows.sizes)
        numbers = np.arange(len(rows)) - first + 1 + np.repeat(state.rows.values[slots], rows.sizes)
        firsts = np.flatnonzero(rows.is_first_peer)
        peers = np.cumsum(rows.is_first_peer)
        dense = peers - np.repeat(peers[rows.starts], rows.sizes) + 1 + np.repeat(state.times.values[slots], rows.sizes)
        ends = rows.starts + rows.sizes - 1
        state.rows.values[slots], state.times.values[slots] = numbers[ends], dense[ends]
        match self._kind:
            case RankKind.ROW_NUMBER:
                result = numbers
            case RankKind.RANK:
                result = numbers[firsts][peers - 1]
            case RankKind.DENSE_RANK:
                result = dense
        return [pa.array(result).cast(self._type)]
