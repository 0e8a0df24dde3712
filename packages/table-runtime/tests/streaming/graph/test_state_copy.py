"""Snapshots in pieces: what is copied while rows come is, in the end, the state of the last moment. Operators are tested so, too (``give``, ``run_in_time``)."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph import state_copy, state_expiry
from table_runtime.streaming.graph.graph import Edge, Graph, Node
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.operators.group_aggregate import GroupAggregate
from table_runtime.streaming.state.snapshots import KEYS, Snapshot
from table_runtime.streaming.time import clock
from table_testing.rounds import rounds

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64())])
PUSH = [Edge(0, 0)]
RETENTION = 1000


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_STEP_SECONDS", 0.0), ("_FIRST_KEYS", 8), ("_MOST_KEYS", 8), ("_LEAST_KEYS", 8)):
        monkeypatch.setattr(state_copy, name, value)


def graph_of(*, retention: int = 0) -> Graph:
    count = make_accumulator(fn.COUNT, AggregateSpec("n", (BigIntType(),), BigIntType(nullable=False), ()))
    schema = pa.schema([("k", pa.int64()), ("n", pa.int64())])
    operator = GroupAggregate(schema, SCHEMA, [0], [AggregateColumn(count, (1,))], retracted=[True], gives_before=True)
    return Graph([], [Node(operator, 1, [Edge(None, 0)], (retention,))])


def rows(*keys: int) -> ChangeBatch:
    return ChangeBatch(pa.RecordBatch.from_arrays([pa.array(keys, pa.int64()), pa.array([1] * len(keys))], schema=SCHEMA))


def started(graph: Graph, context: ExecutionContext) -> GraphRun:
    run = GraphRun(graph, context, [lambda changes: None])
    run.start()
    return run


def content(graph: Graph, context: ExecutionContext, snapshots: Sequence[Snapshot]) -> set[tuple[Any, ...]]:
    """Returns the keys and counts of a run that is restored, the newest snapshot first."""
    run = GraphRun(graph, context, [lambda changes: None])
    run.restore([[snapshot] for snapshot in snapshots])
    (whole,) = run.snapshot()
    result: set[tuple[Any, ...]] = set()
    for tables in whole.buckets.values():
        keys = tables[KEYS].column(0).to_pylist()
        for name, table in tables.items():
            if name != KEYS:
                places, *values = (column.to_pylist() for column in table.columns)
                result.update((keys[place], name, *row) for place, *row in zip(places, *values, strict=True))
    return result


@pytest.mark.parametrize("seed", rounds(8))
def test_a_copy_that_was_taken_while_rows_came_is_the_state_of_its_end(seed: int, context: ExecutionContext) -> None:
    random.seed(seed)
    graph = graph_of()
    run = started(graph, context)
    run.push(PUSH, rows(*range(200)))
    copy = run.copy_state()
    steps = 0
    for number in range(random.randrange(40)):
        steps += not copy.step()
        run.push(PUSH, rows(*(random.choice((random.randrange(200), 1000 + number)) for _ in range(5))))
    (copied,) = copy.finish()
    found = list(copied.snapshots())[::-1]
    assert [snapshot.is_whole for snapshot in found] == [False] * (len(found) - 1) + [True]
    (expected,) = run.snapshot()
    assert content(graph, context, found) == content(graph, context, [expected])


def test_changes_follow_a_copy(context: ExecutionContext) -> None:
    graph = graph_of()
    run = started(graph, context)
    run.push(PUSH, rows(*range(100)))
    copy = run.copy_state(changes_only=True)
    assert not copy.step()
    run.push(PUSH, rows(7, 500))
    (copied,) = copy.finish()
    run.push(PUSH, rows(8))
    (changes,) = run.snapshot(changes_only=True)
    assert sum(tables[KEYS].num_rows for tables in changes.buckets.values()) == 1
    (expected,) = run.snapshot()
    assert content(graph, context, [changes, *list(copied.snapshots())[::-1]]) == content(graph, context, [expected])


def test_few_keys_are_copied_at_once(context: ExecutionContext) -> None:
    run = started(graph_of(), context)
    run.push(PUSH, rows(*range(10)))
    copy = run.copy_state(changes_only=True)
    assert copy.step()
    copy.finish()
    run.push(PUSH, rows(*range(8)))
    copy = run.copy_state(changes_only=True)
    assert copy.step()
    (copied,) = copy.finish()
    (changes,) = copied.snapshots()
    assert not changes.is_whole


@pytest.mark.parametrize("seed", rounds(8))
def test_many_changes_are_copied_while_rows_come(seed: int, context: ExecutionContext) -> None:
    random.seed(seed)
    graph = graph_of()
    run = started(graph, context)
    run.push(PUSH, rows(*range(300)))
    (before,) = run.snapshot()
    run.push(PUSH, rows(*range(200)))
    copy = run.copy_state(changes_only=True)
    steps = 0
    while not copy.step():
        run.push(PUSH, rows(*(random.randrange(300 + steps) for _ in range(3))))
        steps += 1
    assert steps > 5
    (copied,) = copy.finish()
    found = list(copied.snapshots())[::-1]
    assert not any(snapshot.is_whole for snapshot in found)
    run.push(PUSH, rows(8))
    (changes,) = run.snapshot(changes_only=True)
    assert sum(tables[KEYS].num_rows for tables in changes.buckets.values()) == 1
    (expected,) = run.snapshot()
    assert content(graph, context, [changes, *found, before]) == content(graph, context, [expected])


def test_a_copy_ends_although_all_keys_change_again_and_again(context: ExecutionContext) -> None:
    run = started(graph_of(), context)
    run.push(PUSH, rows(*range(200)))
    copy = run.copy_state()
    steps = 0
    while not copy.step():
        run.push(PUSH, rows(*range(200)))
        steps += 1
        assert steps < 100
    (copied,) = copy.finish()
    assert len(list(copied.snapshots())) == 2


@pytest.mark.parametrize("is_rebuilt", [True, False])
def test_a_state_that_expires_meanwhile(is_rebuilt: bool, context: ExecutionContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_expiry, "_CHECKS", 16 if is_rebuilt else 1)
    monkeypatch.setattr(state_expiry, "_MOST_TIME", 0)  # otherwise a slow check delays the next one
    time = 0
    monkeypatch.setattr(clock, "processing_time", lambda: time)
    graph = graph_of(retention=RETENTION)
    run = started(graph, context)
    run.push(PUSH, rows(*range(100)))
    time = 500
    run.push(PUSH, rows(*range(50, 150)))
    time = 1000
    run.push(PUSH, rows(3, 4))  # the state is rebuilt without keys below 50
    before = run._states[0]
    copy = run.copy_state()
    assert not copy.step()
    time = 1600
    run.push(PUSH, rows(3, 60))
    assert (run._states[0] is not before) == is_rebuilt
    copy.step()
    run.push(PUSH, rows(4, 60))
    (copied,) = copy.finish()
    (expected,) = run.snapshot()
    assert content(graph, context, list(copied.snapshots())[::-1]) == content(graph, context, [expected])
    counts = {key: row[-1] for key, name, *row in content(graph, context, [expected]) if name != "rows"}
    assert counts == {3: 2, 4: 2, 60: 2}


@pytest.fixture
def sizes_by_time(context: ExecutionContext, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Iterator[float]], list[int]]:
    """Copies a state of 1,000 keys, with a first piece of some size and the seconds that each piece takes; returns the sizes of the pieces."""

    def copied(first: int, seconds: Iterator[float]) -> list[int]:
        run = started(graph_of(), context)
        run.push(PUSH, rows(*range(1000)))
        now = 0.0
        for name, value in (("_FIRST_KEYS", first), ("_MOST_KEYS", first), ("_STEP_SECONDS", 1e9)):
            monkeypatch.setattr(state_copy, name, value)
        monkeypatch.setattr(state_copy.time, "thread_time", lambda: now)
        sizes = []
        original = state_copy._OperatorCopy.copy

        def timed(self: Any, count: int) -> None:
            nonlocal now
            now += next(seconds)
            sizes.append(min(count, self.left))
            original(self, count)

        monkeypatch.setattr(state_copy._OperatorCopy, "copy", timed)
        assert run.copy_state().step()
        return sizes

    return copied


def test_a_state_whose_pieces_take_as_long_as_the_whole_is_copied_at_once(
    sizes_by_time: Callable[[int, Iterator[float]], list[int]],
) -> None:
    assert sizes_by_time(128, itertools.repeat(1.0)) == [128, 64, 32, 1000 - 128 - 64 - 32]


def test_a_slow_piece_among_others_is_chance(sizes_by_time: Callable[[int, Iterator[float]], list[int]]) -> None:
    assert max(sizes_by_time(64, itertools.chain([1.0, 3.0, 0.01, 3.0, 2.9, 0.01], itertools.repeat(0.01)))) == 64


def test_an_operator_without_keys_is_copied_beside_one_whose_keys_change_in_several_rounds(context: ExecutionContext) -> None:
    graph = Graph([], [graph_of().nodes[0], graph_of().nodes[0]])
    run = started(graph, context)
    run.push(PUSH, rows(*range(200)))
    copy = run.copy_state()
    steps = 0
    while not copy.step():
        steps += 1
        if steps in (1, 30):  # in the first round, and in the second
            run.push(PUSH, rows(*range(80 if steps == 1 else 30)))
    busy, quiet = (list(copied.snapshots()) for copied in copy.finish())
    assert [snapshot.is_whole for snapshot in quiet] == [True, *[False] * (len(quiet) - 1)]
    assert not any(snapshot.buckets for snapshot in quiet)
    assert len(busy) == len(quiet) >= 3
