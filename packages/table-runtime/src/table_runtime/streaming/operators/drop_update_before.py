"""Drops UPDATE_BEFORE rows."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.steps.filter import filter_batch
from table_runtime.streaming.changes.batch import UPDATE_BEFORE, WHOLE, ChangeBatch
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys, OutputDivision
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output


class DropUpdateBefore(ChangelogOperator[OperatorState]):
    """Forwards all changes except UPDATE_BEFORE rows."""

    @override
    def create_state(self, context: ExecutionContext) -> OperatorState:
        return OperatorState(context)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return None

    @override
    def output_division(self, inputs: Sequence[OutputDivision]) -> OutputDivision:
        return inputs[0]

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        if batch.kinds is None:
            out(batch)
            return
        kept = (batch.kinds & WHOLE) != UPDATE_BEFORE
        if kept.any():
            before = None if batch.before is None else batch.before[kept]
            out(ChangeBatch(filter_batch(batch.rows, pa.array(kept)), batch.kinds[kept], before))
