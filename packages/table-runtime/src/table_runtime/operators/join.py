"""The base class of joins: their inputs and output columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Self

import pyarrow as pa

from table_common.annotation import override
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.join_output import BuildSide, JoinKind, JoinOutput, PairFilter
from table_runtime.operators.operator import Operator
from table_runtime.operators.spill.collected import collect

__all__ = ["Join", "KeyColumns"]

KeyColumns = Callable[[pa.RecordBatch], Sequence[pa.Array]]
"""Computes the key columns of a batch; the types of both sides are equal."""


class Join(Operator):
    """Joins rows for which ``condition``, if there is one, is true.

    Schema: the left columns followed by the right ones (for SEMI and ANTI the left ones only), or a selection of them.
    """

    def __init__(self, left: Operator, right: Operator, kind: JoinKind, schema: pa.Schema, condition: PairFilter | None) -> None:
        super().__init__(schema, (left, right))
        self.kind = kind
        self._condition = condition
        self.columns: Sequence[int] = range(len(schema))
        self._projections: tuple[str, ...] = ()

    @override
    def selecting(self, columns: Sequence[int], schema: pa.Schema, plan_line: str) -> Self:
        join = copy(self)
        join.schema = schema
        join.columns = [self.columns[position] for position in columns]
        join._projections = (plan_line, *self._projections)
        return join

    @override
    def plan_lines(self) -> list[str]:
        return [*self._projections, *super().plan_lines()]

    @property
    def key_columns(self) -> tuple[KeyColumns, KeyColumns, Sequence[bool]] | None:
        """The functions that compute the key columns of the left and of the right batches, and whether NULL equals NULL; None without keys."""
        return None

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        with context.account(self.name) as account:
            build = collect(self.inputs[1].batches(context), context, account)
            if build.is_whole:
                yield from self.joined_with(self.inputs[0], build.batches, context)
                return
            from table_runtime.operators.spill.join import spilled_join  # few joins spill

            yield from spilled_join(self, build, context, account)

    def joined_with(self, left: Operator, batches: list[pa.RecordBatch], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        """Yields the join of ``left`` with a right side that is in memory; removes the batches from the list."""
        right = self.inputs[1]
        width = len(left.schema)
        # Only the columns that the output or the condition uses are kept.
        used = {*self.columns, *(self._condition.columns if self._condition is not None else ())}
        return self._joined(left, BuildSide(batches, right.schema, context, {position - width for position in used}), context)

    @abstractmethod
    def _joined(self, left: Operator, build: BuildSide, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        """Yields the join of ``left`` with the build side."""

    def _output(self, build: BuildSide) -> JoinOutput:
        return JoinOutput(self.kind, self.schema, build, self._condition, len(self.inputs[0].schema), self.columns)
