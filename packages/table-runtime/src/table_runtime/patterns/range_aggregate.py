"""Aggregates over ranges of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.expressions import FieldReferenceExpression
from table_common.functions.builtin import aggregates
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.over import Frames, SortedRows
from table_runtime.batch.over.framed_aggregate import FramedAggregate
from table_runtime.columns.batches import take_batch
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.patterns.pattern import Aggregate
from table_runtime.patterns.scalar_program import NeedsKernels, to_python_values

RunningAggregate = Callable[[int, int], Any]
"""Maps a range (first row, end exclusive) to the result as a Python value."""


class RangeAggregate:
    """One aggregate: over many ranges at once (``over``) or one range per call (``running``)."""

    def __init__(self, aggregate: Aggregate, context: EvaluationContext) -> None:
        self._aggregate = aggregate
        self._function = FramedAggregate(make_accumulator(aggregate.function, aggregate.spec))
        self._evaluator = Evaluator(aggregate.args, context)
        self._is_plain = all(isinstance(arg, FieldReferenceExpression) for arg in aggregate.args)

    def over(self, batch: pa.RecordBatch, lower: Sequence[int], upper: Sequence[int], check: Callable[[], None]) -> pa.Array:
        """Returns the result for each range of the batch's rows.

        Raises:
            TableRuntimeException: an argument failed on a row of a range, or a result does not fit its type.
        """
        if not self._is_plain:
            # The arguments could fail for rows that belong to no range, so they are evaluated for the rows of the ranges only.
            rows = [row for first, end in zip(lower, upper, strict=True) for row in range(first, end)]
            ends = list(accumulate(end - first for first, end in zip(lower, upper, strict=True)))
            batch = take_batch(batch, pa.array(rows, type=pa.int64()))
            lower, upper = [0, *ends[:-1]][: len(ends)], ends
        partition = pa.repeat(pa.scalar(0, pa.int64()), batch.num_rows)
        frames = Frames(pa.array(lower, type=pa.int64()), pa.array(upper, type=pa.int64()), partition, is_running=False)
        return self._function.compute(SortedRows(0, [], [], []), frames, self._evaluator.evaluate(batch), check)

    def running(self, batch: pa.RecordBatch) -> RunningAggregate | None:
        """Returns a function that computes the aggregate of one range; None if only ``over`` can compute it.

        The function raises ``NeedsKernels`` for a range whose result only ``over`` computes correctly.
        """
        function, spec = self._aggregate.function, self._aggregate.spec
        if not self._is_plain or spec.constants:
            return None
        if not self._aggregate.args:
            return (lambda first, end: end - first) if function is aggregates.COUNT else None
        (column,) = self._evaluator.evaluate(batch)
        if function is aggregates.COUNT:
            counts = _running_sums(pc.cast(pc.is_valid(column), pa.int64()).to_pylist())
            return lambda first, end: counts[end] - counts[first]
        values = to_python_values(column)
        if values is None or (pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py()):
            return None
        if function in (aggregates.SUM, aggregates.AVG) and pa.types.is_integer(column.type):
            return _integer_sums(values, spec.arrow_type.bit_width, is_average=function is aggregates.AVG)
        if function in (aggregates.SUM, aggregates.AVG) and pa.types.is_float64(column.type):
            return _float_sums(values, is_average=function is aggregates.AVG)
        if function in (aggregates.MIN, aggregates.MAX):
            choose: Callable[..., Any] = min if function is aggregates.MIN else max
            return lambda first, end: choose((v for v in values[first:end] if v is not None), default=None)
        return None


def _running_sums(values: Sequence[int | None]) -> list[int]:
    return list(accumulate((value or 0 for value in values), initial=0))


def _integer_sums(values: Sequence[int | None], bits: int, *, is_average: bool) -> RunningAggregate:
    sums = _running_sums(values)
    counts = _running_sums([int(value is not None) for value in values])
    limit = 1 << (bits - 1)

    def compute(first: int, end: int) -> int | None:
        count, total = counts[end] - counts[first], sums[end] - sums[first]
        if not count:
            return None
        if is_average:
            return abs(total) // count * (1 if total >= 0 else -1)
        if not -limit <= total < limit:
            raise NeedsKernels
        return total

    return compute


def _float_sums(values: Sequence[float | None], *, is_average: bool) -> RunningAggregate:
    def compute(first: int, end: int) -> float | None:
        non_null = [value for value in values[first:end] if value is not None]
        if not non_null:
            return None
        # ``sum`` corrects rounding errors from Python 3.12 on; the kernels do not.
        total = reduce(add, non_null, 0.0)
        return total / len(non_null) if is_average else total

    return compute
