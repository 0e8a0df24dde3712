"""Stateless operators in a streaming graph: filters, projections, UNNEST, lookup joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.steps.pipeline import Pipeline
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys, OutputDivision
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output


class BatchInput(Operator):
    """The leaf of an operator tree: yields the batches that were pushed into it."""

    @override
    def plan_lines(self) -> list[str]:
        return []

    def given(self, context: ExecutionContext) -> list[pa.RecordBatch]:
        """Returns the list of pushed batches, which the next read of this run yields."""
        batches: list[pa.RecordBatch] = context.shared(id(self), list)
        return batches

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        yield from self.given(context)


class StatelessChain(ChangelogOperator[OperatorState]):
    """Applies stateless operators.

    Their input has hidden columns after those of the row, which their output keeps: ``watermark_columns`` columns with the watermark before the row as
    a time, with ``has_watermarks`` one with that watermark in milliseconds, and with ``has_kinds`` one with the kind of the row. ``origins`` says for each column of the result
    which column of the row it is as it was; None: another value.
    """

    def __init__(
        self,
        root: Operator,
        leaf: BatchInput,
        schema: pa.Schema,
        *,
        has_kinds: bool,
        has_watermarks: bool = False,
        watermark_columns: int = 0,
        origins: Sequence[int | None] = (),
    ) -> None:
        super().__init__(schema)
        self._root = root
        self._leaf = leaf
        self._origins = tuple(origins)
        self._has_kinds = has_kinds
        self._has_watermarks = has_watermarks
        hidden = watermark_columns + has_watermarks + has_kinds
        first = len(leaf.schema) - hidden
        self._watermark_types = [leaf.schema.field(first + i).type for i in range(watermark_columns)]

    @property
    @override
    def name(self) -> str:
        return "Rows"  # as in the checkpoints that there are

    @property
    def plan_lines(self) -> list[str]:
        """The operators' lines in a plan, top first."""
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
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return None

    @override
    def output_division(self, inputs: Sequence[OutputDivision]) -> OutputDivision:
        (own,) = inputs
        if not isinstance(own, tuple):
            return own
        kept = {origin: place for place, origin in enumerate(self._origins) if origin is not None and self._is_kept(place, origin)}
        return tuple(kept[position] for position in own) if kept.keys() >= set(own) else None

    def _is_kept(self, place: int, origin: int) -> bool:
        return bool(self.schema.field(place).type == self._leaf.schema.field(origin).type)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: OperatorState, out: Output) -> None:
        for result in self._apply(self._with_hidden(batch, state), state.context):
            if result.num_rows:
                out(self._changes(result))

    def _with_hidden(self, batch: ChangeBatch, state: OperatorState) -> pa.RecordBatch:
        """Returns the rows of a batch with the hidden columns."""
        hidden: list[pa.Array] = []
        if self._watermark_types or self._has_watermarks:
            before = batch.watermarks(state.watermark)
            for type_ in self._watermark_types:
                milliseconds = pa.array(before, mask=before == NO_WATERMARK)
                hidden.append(milliseconds.cast(pa.timestamp("ms", type_.tz)).cast(type_))
            if self._has_watermarks:
                hidden.append(pa.array(before))
        if self._has_kinds:
            hidden.append(pa.array(batch.all_kinds))
        return make_batch([*batch.rows.columns, *hidden], self._leaf.schema, batch.num_rows) if hidden else batch.rows

    def _changes(self, result: pa.RecordBatch) -> ChangeBatch:
        """Returns the changes of a result with hidden columns."""
        columns = result.columns
        kinds = np.asarray(columns.pop(), dtype=np.int8) if self._has_kinds else None
        before = np.asarray(columns.pop()) if self._has_watermarks else None
        if kinds is None and before is None and not self._watermark_types:
            return ChangeBatch(result)
        visible = len(columns) - len(self._watermark_types)
        return ChangeBatch(make_batch(columns[:visible], self.schema, result.num_rows), kinds, before)

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
