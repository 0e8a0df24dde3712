from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from table_runtime.run.operator import Operator
from table_runtime.run.profiling import ProfilingContext, measuring

SCHEMA = pa.schema([("a", pa.int64())])


class Numbers(Operator):
    """Gives two batches, computed on worker threads."""

    def batches(self, context: Any) -> Iterator[pa.RecordBatch]:
        tasks = [context.submit(self._make, rows) for rows in (3, 4)]
        yield from (task.result() for task in tasks)

    def _make(self, rows: int) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays([pa.array([sum(range(200_000))] * rows)], schema=SCHEMA)


class Same(Operator):
    def batches(self, context: Any) -> Iterator[pa.RecordBatch]:
        yield from self.inputs[0].batches(context)


def test_rows_bytes_and_the_own_time_of_each_operator_are_measured() -> None:
    numbers = Numbers(SCHEMA)
    root = Same(SCHEMA, (numbers,))
    context = ProfilingContext(parallelism=2)
    with measuring(root) as (top, found):
        assert sum(batch.num_rows for batch in top.batches(context)) == 7
    context.close()
    assert [(found[id(one)].rows, found[id(one)].batches, found[id(one)].bytes) for one in (root, numbers)] == [(7, 2, 56)] * 2
    assert found[id(numbers)].seconds > found[id(root)].seconds >= 0


def test_the_plan_is_as_before_afterwards() -> None:
    numbers = Numbers(SCHEMA)
    root = Same(SCHEMA, (numbers,))
    with measuring(root):
        assert root.inputs != (numbers,)
    assert root.inputs == (numbers,)
