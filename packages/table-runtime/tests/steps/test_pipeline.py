from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from table_common.annotation import override
from table_common.exceptions import JobCancelledException
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.steps import pipeline
from table_runtime.steps.pipeline import MapStep, Pipeline, Step

SCHEMA = pa.schema([("n", pa.int64())])


def batch(*numbers: int) -> pa.RecordBatch:
    return pa.record_batch([pa.array(numbers, pa.int64())], schema=SCHEMA)


class Source(Operator):
    """Three batches."""

    def __init__(self) -> None:
        super().__init__(SCHEMA)

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        yield from (batch(1, 2), batch(), batch(3))


class AddTen(MapStep):
    """One batch of each."""

    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return pa.record_batch([pa.array([number + 10 for number in batch.column(0).to_pylist()], pa.int64())], schema=SCHEMA)

    @override
    def plan_line(self) -> str:
        return "AddTen()"


class Repeat(Step):
    """As many batches of one row as the row says; counts how many it made."""

    def __init__(self, *, needs_order: bool = False) -> None:
        super().__init__(SCHEMA, needs_order=needs_order)
        self.count = 0

    @override
    def apply(self, batch: pa.RecordBatch, check: Callable[[], None]) -> Iterator[pa.RecordBatch]:
        for number in batch.column(0).to_pylist():
            for _ in range(number):
                check()
                self.count += 1
                yield pa.record_batch([pa.array([number], pa.int64())], schema=SCHEMA)

    @override
    def plan_line(self) -> str:
        return "Repeat()"


def numbers(operator: Operator, parallelism: int = 1) -> list[int]:
    context = ExecutionContext(parallelism=parallelism)
    return [number for batch in operator.batches(context) for number in batch.column(0).to_pylist()]


@pytest.mark.parametrize("parallelism", [1, 3])
@pytest.mark.parametrize("needs_order", [False, True])
def test_steps_that_expand_and_steps_that_map_follow_each_other_in_one_pipeline(parallelism: int, needs_order: bool) -> None:
    steps = [Repeat(needs_order=needs_order), AddTen(SCHEMA), Repeat(), AddTen(SCHEMA)]
    operator: Operator = Source()
    for step in steps:
        operator = Pipeline.over(operator, step)
    assert isinstance(operator, Pipeline)
    assert len(operator.steps) == 4
    assert numbers(operator, parallelism) == [21] * 11 + [22] * 24 + [23] * 39


def test_a_pipeline_may_have_thousands_of_steps_that_expand() -> None:
    assert numbers(Pipeline(_OneRow(), [Repeat() for _ in range(5_000)])) == [1]


class _OneRow(Source):
    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        yield batch(1)


class _ManyRows(Source):
    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        yield batch(1_000)


def test_rows_that_nobody_reads_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "ROWS_AHEAD", 10)
    repeat = Repeat()
    rows = Pipeline.over(_ManyRows(), repeat).batches(ExecutionContext(parallelism=1))
    next(rows)
    assert 1 <= repeat.count <= 12
    rows.close()  # type: ignore[attr-defined]  # every operator's iterator is a generator


def test_an_expanding_step_stops_when_the_job_is_cancelled() -> None:
    context = ExecutionContext(parallelism=1)
    rows = Pipeline.over(_ManyRows(), Repeat(needs_order=True)).batches(context)
    next(rows)
    context.token.cancel()
    with pytest.raises(JobCancelledException):
        next(rows)
