"""Runs of a level: rows and watermarks enter from other tasks, and leave for them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Edge, Graph, Node, Source
from table_runtime.streaming.operators.keep_first_row import KeepFirstRow
from table_runtime.streaming.operators.union import Union
from table_runtime.streaming.shares.cut import Level, cut
from table_runtime.streaming.shares.share_run import ShareRun
from table_runtime.streaming.shares.wire import Mark, Target
from table_runtime.streaming.time.watermarks import END_OF_TIME

SCHEMA = pa.schema([("k", pa.int64())])


@pytest.fixture
def context() -> Iterator[ExecutionContext]:
    made = ExecutionContext(parallelism=1)
    yield made
    made.close()


def union_of_first_rows() -> Level:
    """Returns the level of two operators below a union, whose rows leave for a third one."""
    sources = [Source(None, SCHEMA, has_kinds=False, edges=[Edge(number, 0)]) for number in range(2)]  # type: ignore[arg-type]
    nodes = [
        *(Node(KeepFirstRow(SCHEMA, [0]), 1, [Edge(2, number)]) for number in range(2)),
        Node(Union(SCHEMA), 2, [Edge(3, 0)]),
        Node(KeepFirstRow(SCHEMA, [0]), 1, [Edge(None, 0)]),
    ]
    return cut(Graph(sources, nodes), 2).levels[1]


def rows(*keys: int) -> ChangeBatch:
    return ChangeBatch(pa.record_batch([pa.array(keys, pa.int64())], schema=SCHEMA))


def test_rows_enter_at_their_targets_and_leave_by_exits(context: ExecutionContext) -> None:
    left: list[tuple[int, list[int]]] = []
    level = union_of_first_rows()
    run = ShareRun(level, context, lambda place, batch: left.append((place, batch.rows.column(0).to_pylist())))
    run.start_share(0)
    run.enter(run.entry(Target(1, 0)), rows(1, 1, 2))
    run.enter(run.entry(Target(0, 0)), rows(1))
    assert left == [(0, [1, 2]), (0, [1])]
    assert run.entry(Target(-1, 0)) == ()
    assert [state.keys.size for state in run.states if state.keys is not None] == [1, 2]


def test_the_watermark_that_leaves_is_the_least_of_the_edges(context: ExecutionContext) -> None:
    level = union_of_first_rows()
    run = ShareRun(level, context, lambda *_: None)
    assert run.mark_of(0) is None
    run.advance(run.entry(Target(0, 0)), Mark([5, 7]))
    assert run.mark_of(0) is None
    run.advance(run.entry(Target(1, 0)), Mark([3]))
    assert run.mark_of(0) == Mark([3])
    run.advance(run.entry(Target(1, 0)), Mark([END_OF_TIME]))
    run.advance(run.entry(Target(1, 0)), Mark([END_OF_TIME]))  # again in the next epoch
    assert run.mark_of(0) == Mark([7])
    run.advance(run.entry(Target(0, 0)), Mark([END_OF_TIME]))
    assert run.mark_of(0) == Mark([END_OF_TIME])


def test_nobody_waits_for_an_idle_edge_and_all_idle_edges_make_an_idle_one(context: ExecutionContext) -> None:
    run = ShareRun(union_of_first_rows(), context, lambda *_: None)
    run.advance(run.entry(Target(0, 0)), Mark((), is_idle=True))
    run.advance(run.entry(Target(1, 0)), Mark([9]))
    mark = run.mark_of(0)
    assert mark is not None
    assert mark.watermarks[-1:] == [9]
    run.advance(run.entry(Target(1, 0)), Mark((), is_idle=True))
    mark = run.mark_of(0)
    assert mark is not None
    assert mark.is_idle


def test_a_run_goes_on_with_the_watermarks_of_another_one(context: ExecutionContext) -> None:
    level = union_of_first_rows()
    run = ShareRun(level, context, lambda *_: None)
    run.advance(run.entry(Target(0, 0)), Mark([7]))
    run.advance(run.entry(Target(1, 0)), Mark([END_OF_TIME]))
    other = ShareRun(level, context, lambda *_: None)
    for place, (watermarks, idle) in enumerate(zip(run.watermarks(), run.idle_inputs(), strict=True)):
        other.set_watermarks(place, watermarks, idle)
    assert other.watermarks() == run.watermarks()
    assert other.mark_of(0) == run.mark_of(0) == Mark([7])
    assert other.states[1].ended_inputs == {0}
    other.set_watermarks(0, ())
    assert other.watermarks()[0][0] == 7
    assert NO_WATERMARK < 7


def test_states_of_another_run_count_anew(context: ExecutionContext) -> None:
    level = union_of_first_rows()
    run = ShareRun(level, context, lambda *_: None)
    run.enter(run.entry(Target(0, 0)), rows(1, 2))
    other = ShareRun(level, context, lambda *_: None)
    other.set_states(run.states)
    assert other.states[0].keys is run.states[0].keys
    assert other.counters()[0]["numRecordsIn"] == 0
    assert np.array_equal([other.next_timer() is None], [True])
