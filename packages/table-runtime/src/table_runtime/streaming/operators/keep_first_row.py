"""Keeps the first row of each key."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.exchange_keys import GLOBAL, ExchangeKeys, OutputDivision, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.key_slots import KeySlots


class FirstRowState(OperatorState):
    """The keys seen so far."""

    def __init__(self, context: ExecutionContext, types: Sequence[pa.DataType]) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots(types)


class KeepFirstRow(ChangelogOperator[FirstRowState]):
    """Forwards the first row of each key; the input is insert-only."""

    def __init__(self, schema: pa.Schema, key: Sequence[int], text: str = "") -> None:
        super().__init__(schema)
        self._key = tuple(key)
        self._text = text

    @property
    @override
    def name(self) -> str:
        return "Deduplicate"

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> FirstRowState:
        return FirstRowState(context, [self.schema.field(i).type for i in self._key])

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by(self._key)

    @override
    def output_division(self, inputs: Sequence[OutputDivision]) -> OutputDivision:
        return tuple(self._key) or GLOBAL

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: FirstRowState, out: Output) -> None:
        known = state.keys.size
        slots = state.keys.find_or_insert(batch.columns(self._key), batch.num_rows, writes=False)
        _, first = np.unique(slots, return_index=True)
        new = np.sort(first[slots[first] >= known])
        if len(new):
            out(ChangeBatch(batch.rows.take(pa.array(new))))
