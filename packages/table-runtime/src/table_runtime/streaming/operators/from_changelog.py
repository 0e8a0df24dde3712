"""FROM_CHANGELOG: turns rows into changes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.connector import RowKind
from table_common.exceptions import TableRuntimeException
from table_runtime.columns.batches import make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output


class FromChangelog(ChangelogOperator[OperatorState]):
    """Emits each row as a change whose kind is coded in the column ``op``, without that column."""

    def __init__(self, schema: pa.Schema, op: int, op_name: str, codes: Mapping[str, RowKind]) -> None:
        super().__init__(schema)
        self._op = op
        self._op_name = op_name
        self._codes = dict(codes)

    @override
    def details(self) -> str:
        return f"op=[{self._op_name}], codes=[{', '.join(f'{code}={kind.name}' for code, kind in self._codes.items())}]"

    @override
    def create_state(self, context: ExecutionContext) -> OperatorState:
        return OperatorState(context)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return None

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        op = batch.rows.column(self._op)
        found = pc.index_in(op, pa.array(list(self._codes), op.type))
        if found.null_count:
            raise self._unknown_code(op.filter(found.is_null())[0].as_py())
        kinds = np.array([kind.value for kind in self._codes.values()], np.int8)[np.asarray(found)]
        columns = [column for index, column in enumerate(batch.rows.columns) if index != self._op]
        out(ChangeBatch(make_batch(columns, self.schema, batch.num_rows), kinds if kinds.any() else None))

    def _unknown_code(self, code: str | None) -> TableRuntimeException:
        accepted = ", ".join(f"'{code}'" for code in sorted(self._codes))
        if code is None:
            what = f"Column '{self._op_name}' of the table of FROM_CHANGELOG is NULL"
        else:
            what = f"Column '{self._op_name}' of the table of FROM_CHANGELOG has the code '{code}'"
        return TableRuntimeException(f"{what}, but the codes are {accepted}.", hint="add the code to op_mapping, or filter out these rows")
