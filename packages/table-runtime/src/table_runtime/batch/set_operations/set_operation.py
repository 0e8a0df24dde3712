"""INTERSECT and EXCEPT, with and without ALL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_scalar
from table_common.arrow import compute as pc
from table_common.types import BigIntType, TinyIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.sums import Sum
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan, KeyedAggregation, States, aligned_states
from table_runtime.columns.batches import BATCH_ROWS, cast_to_schema, coalesce_batches, make_batch, rechunk, take_batch
from table_runtime.columns.keys import KeyCodec
from table_runtime.columns.sorted_search import search_sorted
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_ordered


class SetOperation(Operator):
    """Counts each distinct row in the first input and in the other inputs; ``copies`` decides how often it is emitted. NULLs are equal."""

    def __init__(self, inputs: Sequence[Operator], schema: pa.Schema, *, keep_all: bool) -> None:
        super().__init__(schema, inputs)
        self._all = keep_all

    @override
    def details(self) -> str:
        return f"all=[{'true' if self._all else 'false'}]"

    def copies(self, left: pa.Array, right: pa.Array) -> pa.Array:
        """Returns how often each row is emitted; ``left`` and ``right`` are its counts on the two sides."""
        raise NotImplementedError

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        spec = AggregateSpec("COUNT", (TinyIntType(),), BigIntType())
        plan = AggregationPlan(KeyCodec([field.type for field in self.schema]), [Sum(spec), Sum(spec)])
        running = KeyedAggregation(plan, context, self)
        try:
            for side, child in enumerate(self.inputs):
                count = partial(self._count, plan, min(side, 1))
                parts = map_ordered(count, coalesce_batches(child.batches(context), 4 * BATCH_ROWS, context.scaled), context)
                try:
                    for states in parts:
                        context.check()
                        running.add(states)
                finally:
                    close_iterator(parts)
            for (total,) in aligned_states([running]):
                if total is not None:
                    yield from self._emit(plan, total, context)
        finally:
            running.close()

    def _emit(self, plan: AggregationPlan, total: States, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (left,), (right,) = total.columns
        copies = self.copies(left, right)
        whole = make_batch(plan.codec.decode(total.keys), self.schema, total.groups)
        for start in range(0, total.groups, BATCH_ROWS):
            context.check()
            for batch in _repeat(whole.slice(start, BATCH_ROWS), copies.slice(start, BATCH_ROWS)):
                context.check()
                yield batch

    def _count(self, plan: AggregationPlan, side: int, run: list[pa.RecordBatch]) -> States:
        batch = rechunk([cast_to_schema(column, self.schema) for column in run], self.schema)
        ones = [pa.repeat(arrow_scalar(int(side == index), pa.int8()), batch.num_rows) for index in range(2)]
        return plan.partial(batch.columns, [[column] for column in ones], batch.num_rows)


class Intersect(SetOperation):
    """Rows that both sides have; with ALL the smaller of the two counts."""

    @override
    def copies(self, left: pa.Array, right: pa.Array) -> pa.Array:
        smaller = pc.min_element_wise(left, right)
        return smaller if self._all else pc.min_element_wise(smaller, arrow_scalar(1, pa.int64()))


class Except(SetOperation):
    """Rows of the first side that no other side has; with ALL its count minus the total count of the other sides."""

    @override
    def copies(self, left: pa.Array, right: pa.Array) -> pa.Array:
        if self._all:
            return pc.max_element_wise(pc.subtract(left, right), arrow_scalar(0, pa.int64()))
        only_left = pc.and_(pc.greater(left, arrow_scalar(0, pa.int64())), pc.equal(right, arrow_scalar(0, pa.int64())))
        return pc.cast(only_left, pa.int64())


def _repeat(batch: pa.RecordBatch, copies: pa.Array) -> Iterator[pa.RecordBatch]:
    """Yields each row as often as ``copies`` says, in batches of at most ``BATCH_ROWS``."""
    ends = pc.cumulative_sum(copies)
    rows = ends[-1].as_py()
    for start in range(0, rows, BATCH_ROWS):
        yield take_batch(batch, search_sorted(ends, pa.arange(start, min(rows, start + BATCH_ROWS)), "right"))
