"""Stateless work: filters, projections, UNNEST, lookup joins."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from table_common.annotation import override
from table_runtime.changelog.batch import ChangeBatch
from table_runtime.changelog.operator import ChangelogOperator, OperatorState, Output
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import close_iterator
from table_runtime.operators.pipeline import Pipeline

__all__ = ["BatchInput", "Rows"]


class BatchInput(Operator):
    """The leaf of an operator tree: yields the batches that were pushed into it."""

    @override
    def plan_lines(self) -> list[str]:
        return []

    def given(self, context: ExecutionContext) -> list[pa.RecordBatch]:
        """Returns the batches that the next reading of a run yields."""
        batches: list[pa.RecordBatch] = context.shared(id(self), list)
        return batches

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        yield from self.given(context)


class Rows(ChangelogOperator[OperatorState]):
    """Applies stateless operators. With ``has_kinds`` their last column is the kind of the row."""

    def __init__(self, root: Operator, leaf: BatchInput, schema: pa.Schema, *, has_kinds: bool) -> None:
        super().__init__(schema)
        self._root = root
        self._leaf = leaf
        self._has_kinds = has_kinds

    @property
    def plan_lines(self) -> list[str]:
        """The lines of the operators in a plan, top first."""
        lines: list[str] = []
        operator = self._root
        while operator.inputs:
            lines += operator.plan_lines()
            operator = operator.inputs[0]
        return lines

    @override
    def create_state(self, context: ExecutionContext) -> OperatorState:
        return OperatorState(context)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        rows = batch.with_kind_column() if self._has_kinds else batch.rows
        for result in self._apply(rows, state.context):
            if result.num_rows:
                out(ChangeBatch.of_kind_column(result, self.schema) if self._has_kinds else ChangeBatch(result))

    def _apply(self, rows: pa.RecordBatch, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        root = self._root
        if isinstance(root, Pipeline) and root.inputs[0] is self._leaf:
            yield from root.apply(rows, context.check)
            return
        given = self._leaf.given(context)
        given[:] = [rows]
        source = root.batches(context)
        try:
            yield from source
        finally:
            close_iterator(source)
