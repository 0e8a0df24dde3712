"""The base class of joins: their inputs and output columns."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Self

import pyarrow as pa

from table_common.annotation import override
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.join_output import BuildSide, JoinKind, JoinOutput, PairFilter
from table_runtime.operators.operator import Operator

__all__ = ["Join"]


class Join(Operator):
    """Joins rows for which ``condition``, if there is one, is true.

    Schema: the left columns followed by the right ones (for SEMI and ANTI the left ones only), or a selection of them.
    """

    def __init__(self, left: Operator, right: Operator, kind: JoinKind, schema: pa.Schema, condition: PairFilter | None) -> None:
        super().__init__(schema, (left, right))
        self._kind = kind
        self._condition = condition
        self._columns: Sequence[int] = range(len(schema))
        self._projections: tuple[str, ...] = ()

    @override
    def selecting(self, columns: Sequence[int], schema: pa.Schema, plan_line: str) -> Self:
        join = copy(self)
        join.schema = schema
        join._columns = [self._columns[position] for position in columns]
        join._projections = (plan_line, *self._projections)
        return join

    @override
    def plan_lines(self) -> list[str]:
        return [*self._projections, *super().plan_lines()]

    def _build_side(self, context: ExecutionContext) -> BuildSide:
        """Reads the right input and keeps only the columns that the output or the condition uses."""
        left, right = self.inputs
        width = len(left.schema)
        used = {*self._columns, *(self._condition.columns if self._condition is not None else ())}
        return BuildSide(right, context, {position - width for position in used})

    def _output(self, build: BuildSide) -> JoinOutput:
        return JoinOutput(self._kind, self.schema, build, self._condition, len(self.inputs[0].schema), self._columns)
