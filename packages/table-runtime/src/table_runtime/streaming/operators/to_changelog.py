"""TO_CHANGELOG: turns changes into rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.connector import RowKind
from table_runtime.columns.batches import make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.steps.filter import filter_batch
from table_runtime.streaming.changes.batch import INSERT, WHOLE, ChangeBatch
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output


class ToChangelog(ChangelogOperator[OperatorState]):
    """Emits each change as an insertion, with the code of its kind in the first column; drops changes whose kind has no code."""

    needs_each_change = True

    def __init__(self, schema: pa.Schema, codes: Mapping[RowKind, str]) -> None:
        super().__init__(schema)
        self._codes = {kind.value: code for kind, code in codes.items()}
        self._text = ", ".join(f"{kind.name}={code}" for kind, code in codes.items())

    @override
    def details(self) -> str:
        return f"op=[{self.schema.field(0).name}], codes=[{self._text}]"

    @override
    def create_state(self, context: ExecutionContext) -> OperatorState:
        return OperatorState(context)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return None

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        rows = batch.rows
        kinds = np.full(batch.num_rows, INSERT, np.int8) if batch.kinds is None else batch.kinds & WHOLE
        kept = np.isin(kinds, list(self._codes))
        if not kept.any():
            return
        if not kept.all():
            rows, kinds = filter_batch(rows, pa.array(kept)), kinds[kept]
        texts = pa.array([self._codes.get(value) for value in range(len(RowKind))], self.schema.field(0).type)
        out(ChangeBatch(make_batch([texts.take(pa.array(kinds)), *rows.columns], self.schema, rows.num_rows)))
