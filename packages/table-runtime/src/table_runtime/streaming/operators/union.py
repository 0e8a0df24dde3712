"""UNION ALL: the changes of all inputs, in order of arrival."""

from __future__ import annotations

from table_common.annotation import override
from table_runtime.columns.batches import cast_to_schema
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output


class Union(ChangelogOperator[OperatorState]):
    """Forwards the changes of all inputs with one schema."""

    @override
    def details(self) -> str:
        return "all=[true]"

    @override
    def create_state(self, context: ExecutionContext) -> OperatorState:
        return OperatorState(context)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return None

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        out(ChangeBatch(cast_to_schema(batch.rows, self.schema), batch.kinds, batch.before))
