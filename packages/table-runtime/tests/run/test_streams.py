from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_common.exceptions import JobCancelledException, TableRuntimeException
from table_runtime.batch.set_operations.union import UnionAll
from table_runtime.batch.shared_subplan import SharedSubplan
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator, describe
from table_runtime.run.parallel import map_ordered
from table_runtime.run.prefetch import prefetch
from table_runtime.sinks.collect import Collect
from table_runtime.steps.filter import Filter
from table_runtime.steps.not_null import NotNull
from table_runtime.steps.pipeline import Pipeline
from table_runtime.steps.project import Project

NUMBERS = [(n,) for n in range(10)]


def doubled(child: Operator) -> Pipeline:
    return Pipeline.over(child, Project(child.schema, lambda batch: [pc.multiply(batch.column(0), 2)], lambda: "a * 2 AS a"))


def test_filters_and_projections_fuse_and_keep_the_order(harness: Any) -> None:
    source = harness.source([("a", pa.int64())], NUMBERS)
    kept = Pipeline.over(source, Filter(source.schema, lambda batch: pc.greater(batch.column(0), 6), "a > 6"))
    pipeline = doubled(kept)
    assert pipeline.inputs == (source,)
    assert harness.rows(pipeline) == [(14,), (16,), (18,)]


def test_a_plan_shows_every_step_on_a_line(harness: Any) -> None:
    source = harness.source([("a", pa.int64())], NUMBERS)
    assert describe(doubled(source)) == "Project(select=[a * 2 AS a])\n+- Values(rows=[10], fields=[a])"


def test_results_on_threads_come_in_order_and_failures_come_out(harness: Any) -> None:
    assert list(map_ordered(lambda n: n * n, range(50), harness.context)) == [n * n for n in range(50)]
    with pytest.raises(ZeroDivisionError):
        list(map_ordered(lambda n: 1 // (n - 3), range(50), harness.context))


def test_closing_the_reader_closes_the_source(harness: Any, endless: Any) -> None:
    batches = doubled(endless).batches(harness.context)
    next(batches)
    batches.close()  # type: ignore[attr-defined]  # it is a generator
    assert endless.is_closed


def test_cancelling_is_heard_between_batches(harness: Any, endless: Any) -> None:
    batches = doubled(endless).batches(harness.context)
    next(batches)
    harness.context.token.cancel()
    with pytest.raises(JobCancelledException):
        list(batches)
    assert endless.is_closed


class Counting(Operator):
    """Counts how often it is run."""

    def __init__(self) -> None:
        super().__init__(pa.schema([("a", pa.int64())]))
        self.runs = 0

    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        self.runs += 1
        for value in range(3):
            yield pa.RecordBatch.from_arrays([pa.array([value])], schema=self.schema)


def test_a_shared_input_runs_once_for_all_its_readers(harness: Any) -> None:
    source = Counting()
    shared = SharedSubplan(source)
    assert harness.rows(UnionAll([shared, shared], source.schema)) == [(0,), (1,), (2,)] * 2
    assert source.runs == 1


def test_streams_read_ahead_come_one_after_the_other(harness: Any) -> None:
    source = harness.source([("a", pa.int64())], NUMBERS)
    streams = [lambda: source.batches(harness.context)] * 5
    assert [v for batch in prefetch(streams, harness.context) for v in batch.column(0).to_pylist()] == [n for (n,) in NUMBERS] * 5


def test_a_reader_that_stops_early_stops_the_streams(harness: Any, endless: Any) -> None:
    batches = prefetch([lambda: endless.batches(harness.context)] * 3, harness.context)
    next(batches)
    batches.close()  # type: ignore[attr-defined]  # it is a generator
    assert endless.is_closed


def test_null_in_a_not_null_column_fails_or_drops_the_row(harness: Any) -> None:
    source = harness.source([("a", pa.int64())], [(1,), (None,)])
    with pytest.raises(TableRuntimeException, match="Column 'a' of t is declared NOT NULL"):
        harness.rows(Pipeline.over(source, NotNull(source.schema, [0], "t")))
    assert harness.rows(Pipeline.over(source, NotNull(source.schema, [0], "t", drop=True))) == [(1,)]


def test_collect_hands_out_the_first_batch_at_once_and_joins_tiny_ones(harness: Any) -> None:
    source = harness.source([("a", pa.int64())], NUMBERS)
    sizes = [batch.num_rows for batch in Collect(source, source.schema).batches(harness.context)]
    assert sizes == [3, 7]
