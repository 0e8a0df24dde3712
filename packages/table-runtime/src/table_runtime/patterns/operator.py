"""MATCH_RECOGNIZE over a bounded input."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import split_table
from table_runtime.columns.ordering import sort_indices
from table_runtime.expressions import EvaluationContext
from table_runtime.patterns.pattern import PatternSpec
from table_runtime.patterns.recognizer import MatchRecognizer, MatchState
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.materialized_input import materialize
from table_runtime.run.operator import Operator


class MatchRecognize(Operator):
    """Yields one row per match, partition by partition. Holds all rows in memory to sort them."""

    def __init__(self, child: Operator, spec: PatternSpec, evaluation: EvaluationContext, text: str = "") -> None:
        super().__init__(spec.output_schema, (child,))
        self._spec = spec
        self._recognizer = MatchRecognizer(spec, evaluation)
        self._text = text

    @override
    def details(self) -> str:
        return self._text

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (child,) = self.inputs
        columns, rows = materialize(child, context)
        if rows == 0:
            return
        order = sort_indices(columns, self._spec.sort_keys)
        context.check()
        state = MatchState()
        for batch in split_table(columns, child.schema, rows, order):
            yield from self._recognizer.process_sorted(batch, state, context.check)
        yield from self._recognizer.finish(state, context.check)
