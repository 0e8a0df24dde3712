"""State expires after its retention, and the memory of ended keys is reused. The tests set the clock."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.connector import RowKind
from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.batch.joins.join_output import JoinKind
from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph import state_expiry
from table_runtime.streaming.graph.graph import Edge, Graph, Node
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.operators.changelog_normalize import LastRowByKey
from table_runtime.streaming.operators.group_aggregate import GroupAggregate
from table_runtime.streaming.operators.join import Join, JoinSide
from table_runtime.streaming.operators.keep_first_row import KeepFirstRow
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.rank import Rank, RankWay
from table_runtime.streaming.operators.set_operation import SetOperation
from table_runtime.streaming.operators.sink_materialize import SinkMaterialize
from table_runtime.streaming.state.snapshots import KEYS, Snapshot
from table_runtime.streaming.time import clock
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Change

RETENTION = 1600
SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64())])


class Run:
    """One operator that processes changes at given times."""

    def __init__(
        self,
        operator: AnyOperator,
        context: ExecutionContext,
        monkeypatch: pytest.MonkeyPatch,
        change_batch: Callable[[Sequence[Change], pa.Schema], ChangeBatch],
        retention: int = RETENTION,
    ) -> None:
        self.given: list[Change] = []
        self._graph = Graph([], [Node(operator, 2, [Edge(None, 0)], (retention,))])
        self._context = context
        self.run = GraphRun(self._graph, context, [self._receive])
        self._patch = monkeypatch
        self._change_batch = change_batch
        self._snapshots: list[Sequence[Snapshot]] = []

    def _receive(self, batch: ChangeBatch) -> None:
        kinds = np.zeros(batch.num_rows, np.int8) if batch.kinds is None else batch.kinds
        rows = zip(*(column.to_pylist() for column in batch.rows.columns), strict=True)
        self.given += [(RowKind(int(kind)).short_string, row) for kind, row in zip(kinds, rows, strict=True)]

    def at(self, time: int, *changes: Change, side: int = 0) -> list[Change]:
        """Processes changes at a time; returns the output."""
        self.given = []
        self._patch.setattr(clock, "processing_time", lambda: time)
        self.run.push([Edge(0, side)], self._change_batch(changes, SCHEMA))
        return self.given

    def restart(self) -> None:
        """Continues in another run, which is restored from snapshots of changes."""
        self._snapshots.insert(0, self.run.snapshot(changes_only=True))
        self.run = GraphRun(self._graph, self._context, [self._receive])
        self.run.restore(self._snapshots)

    @property
    def keys(self) -> int:
        """The number of allocated keys."""
        keys = self.run._states[0].keys
        assert keys is not None
        return keys.size


@pytest.fixture
def start(context: ExecutionContext, monkeypatch: pytest.MonkeyPatch, change_batch: Any) -> Callable[..., Run]:
    return lambda operator, **options: Run(operator, context, monkeypatch, change_batch, **options)


def count(*, repeats_unchanged: bool = False, grouping: Sequence[int] = (0,)) -> GroupAggregate:
    accumulator = make_accumulator(fn.COUNT, AggregateSpec("n", (BigIntType(),), BigIntType(nullable=False), ()))
    schema = pa.schema([*(SCHEMA.field(i) for i in grouping), pa.field("n", pa.int64())])
    return GroupAggregate(
        schema,
        SCHEMA,
        grouping,
        [AggregateColumn(accumulator, (1,))],
        retracted=[True],
        gives_before=True,
        repeats_unchanged=repeats_unchanged,
    )


def join(kind: JoinKind) -> Join:
    def keys(batch: pa.RecordBatch) -> Sequence[pa.Array]:
        return [batch.column(0)]

    sides = (JoinSide(SCHEMA, keys, has_retractions=True), JoinSide(SCHEMA, keys, has_retractions=False))
    return Join(pa.schema([*SCHEMA, *SCHEMA]), kind, sides, [pa.int64()], [False])


def insert(*rows: tuple[int, int]) -> list[Change]:
    return [("+I", row) for row in rows]


def test_a_group_touched_within_the_retention_continues(start: Callable[..., Run]) -> None:
    run = start(count())
    assert run.at(0, *insert((1, 1))) == [("+I", (1, 1))]
    assert run.at(1500, *insert((1, 1))) == [("-U", (1, 1)), ("+U", (1, 2))]
    assert run.at(3099, *insert((1, 1))) == [("-U", (1, 2)), ("+U", (1, 3))]


def test_a_group_is_new_as_soon_as_the_retention_is_over(start: Callable[..., Run]) -> None:
    run = start(count())
    assert run.at(0, *insert((1, 1))) == [("+I", (1, 1))]
    assert run.at(50, *insert((2, 1))) == [("+I", (2, 1))]
    assert run.at(1600, *insert((1, 1), (2, 1))) == [("+I", (1, 1)), ("-U", (2, 1)), ("+U", (2, 2))]


def test_expired_state_is_not_read_while_checks_are_rare(start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_expiry, "_CHECKS", 1)
    run = start(count())
    run.at(0, *insert((1, 1)))
    run.at(100, *insert((2, 1)))
    run.at(1600, *insert((3, 1)))
    state = run.run._states[0]
    assert run.at(1800, *insert((2, 1), (2, 1))) == [("+I", (2, 1)), ("-U", (2, 1)), ("+U", (2, 2))]
    assert run.run._states[0] is state


def test_keys_that_expire_again_and_again_do_not_pile_up(start: Callable[..., Run]) -> None:
    run = start(count())
    for time in range(0, 100_000, RETENTION):
        assert run.at(time, *insert(*((key, 1) for key in range(100)))) == [("+I", (key, 1)) for key in range(100)]
        assert run.keys <= 200


def test_an_untouched_group_restarts(start: Callable[..., Run]) -> None:
    run = start(count())
    run.at(0, *insert((1, 1), (2, 1)))
    run.at(1500, *insert((2, 1)))
    assert run.at(1800, *insert((1, 1), (2, 1))) == [("+I", (1, 1)), ("-U", (2, 2)), ("+U", (2, 3))]


def test_without_retention_nothing_expires(start: Callable[..., Run]) -> None:
    run = start(count(), retention=0)
    run.at(0, *insert((1, 1)))
    assert run.at(10**12, *insert((1, 1))) == [("-U", (1, 1)), ("+U", (1, 2))]


def test_an_aggregate_over_all_rows_does_not_expire(start: Callable[..., Run]) -> None:
    run = start(count(grouping=()))
    run.at(0, *insert((1, 1)))
    assert run.at(10**6, *insert((1, 1))) == [("-U", (1,)), ("+U", (2,))]


def test_the_memory_of_expired_state_is_reused(start: Callable[..., Run]) -> None:
    run = start(count())
    run.at(0, *insert(*((key, 1) for key in range(1000))))
    run.at(2000, *insert((5, 1)))
    assert run.keys == 1


def test_the_snapshot_after_an_expiry_is_full(start: Callable[..., Run]) -> None:
    run = start(count())
    run.at(0, *insert((1, 1)))
    (whole,) = run.run.snapshot()
    run.at(2000, *insert((2, 1)))
    (changes,) = run.run.snapshot(changes_only=True)
    assert whole.is_whole
    assert changes.is_whole
    assert [tables[KEYS].column(0).to_pylist() for tables in changes.buckets.values()] == [[2]]


def test_times_are_restored_with_the_state(start: Callable[..., Run]) -> None:
    first = start(count())
    first.at(0, *insert((1, 1)))
    first.at(1000, *insert((2, 1)))
    second = start(count())
    second.run.restore([first.run.snapshot()])
    assert second.at(1800, *insert((1, 1), (2, 1))) == [("+I", (1, 1)), ("-U", (2, 1)), ("+U", (2, 2))]


def test_times_are_those_of_the_newest_snapshot(start: Callable[..., Run]) -> None:
    run = start(count())
    run.at(0, *insert((1, 1)))
    run.restart()
    run.at(1000, *insert((1, 1)))
    run.restart()
    run.at(2000, *insert((2, 1)))
    run.restart()
    assert run.at(2600, *insert((1, 1))) == [("+I", (1, 1))]


def test_the_retention_of_restored_state_without_times_starts_at_the_restore(
    start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = start(count(), retention=0)
    first.at(0, *insert((1, 1)))
    second = start(count())
    monkeypatch.setattr(clock, "processing_time", lambda: 5000)
    second.run.restore([first.run.snapshot()])
    assert second.at(6000, *insert((2, 1))) == [("+I", (2, 1))]
    assert second.at(6500, *insert((1, 1))) == [("-U", (1, 1)), ("+U", (1, 2))]


@pytest.mark.parametrize(
    "operator",
    [
        KeepFirstRow(SCHEMA, [0]),
        LastRowByKey(SCHEMA, [0], name="Deduplicate", gives_before=True),
        SetOperation(SCHEMA, 1, "Union", keeps_duplicates=False),
        Rank(SCHEMA, SCHEMA, [0], (SortKey(1, True, True),), way=RankWay.APPEND, start=1, end=1, has_rank=False),
        Rank(SCHEMA, SCHEMA, [0], (SortKey(1, True, True),), way=RankWay.RETRACT, start=1, end=1, has_rank=False),
    ],
    ids=lambda operator: operator.name,
)
def test_untouched_keys_expire(operator: AnyOperator, start: Callable[..., Run]) -> None:
    run = start(operator)
    assert run.at(0, *insert((1, 7), (2, 7))) == insert((1, 7), (2, 7))
    assert run.at(100, *insert((1, 7))) == []
    assert run.at(1701, *insert((1, 7), (2, 7))) == insert((1, 7), (2, 7)) or run.keys == 2
    assert run.at(4000, *insert((1, 7))) == insert((1, 7))
    assert run.keys == 1


def test_the_rows_of_untouched_keys_expire_in_a_sink_materializer(start: Callable[..., Run]) -> None:
    run = start(SinkMaterialize(SCHEMA, [0], table="t", conflict=None))
    run.at(0, *insert((1, 1)), *insert((1, 2)))
    assert run.at(2000, ("-D", (1, 2))) == []
    assert run.at(2001, *insert((1, 3))) == [("+I", (1, 3))]


@pytest.mark.parametrize("conflict", ["NOTHING", "ERROR"])
def test_rows_emitted_at_the_end_of_the_input_do_not_expire(start: Callable[..., Run], conflict: str) -> None:
    run = start(SinkMaterialize(SCHEMA, [0], table="t", conflict=conflict))
    run.at(0, *insert((1, 1)))
    run.at(9000, *insert((2, 2)))
    run.given = []
    run.run.end([Edge(0, 0)])
    run.run.end([Edge(0, 0)])
    assert run.given[:2] == insert((1, 1), (2, 2))


def test_dropped_duplicates_do_not_extend_the_retention_of_the_first_row(start: Callable[..., Run]) -> None:
    run = start(KeepFirstRow(SCHEMA, [0]))
    assert [time for time in range(0, 6000, 500) if run.at(time, *insert((1, time)))] == [0, 2000, 4000]


def test_matches_extend_the_retention_of_an_outer_join_row(start: Callable[..., Run]) -> None:
    run = start(join(JoinKind.LEFT))
    run.at(0, *insert((1, 10)))
    run.at(1000, *insert((1, 20)), side=1)
    assert run.at(2000, *insert((1, 21)), side=1) == [("+I", (1, 10, 1, 21))]
    assert run.at(5000, *insert((1, 22)), side=1) == []


def test_matches_do_not_extend_the_retention_of_an_inner_join_row(start: Callable[..., Run]) -> None:
    run = start(join(JoinKind.INNER))
    run.at(0, *insert((1, 10)))
    run.at(1000, *insert((1, 20)), side=1)
    assert run.at(2000, *insert((1, 21)), side=1) == []


def test_rows_of_a_join_expire_individually(start: Callable[..., Run]) -> None:
    run = start(join(JoinKind.INNER))
    run.at(0, *insert((1, 10)))
    run.at(1000, *insert((1, 11)))
    assert run.at(1500, *insert((1, 20)), side=1) == [("+I", (1, 10, 1, 20)), ("+I", (1, 11, 1, 20))]
    assert run.at(1800, *insert((1, 21)), side=1) == [("+I", (1, 11, 1, 21))]
    assert run.at(5000, *insert((1, 22)), side=1) == []
    assert run.at(5001, *insert((1, 12))) == [("+I", (1, 12, 1, 22))]


def test_the_retraction_of_an_expired_row_is_ignored(start: Callable[..., Run]) -> None:
    run = start(join(JoinKind.LEFT))
    assert run.at(0, *insert((1, 10))) == [("+I", (1, 10, None, None))]
    assert run.at(2000, ("-D", (1, 10))) == []
    assert run.at(2001, *insert((1, 20)), side=1) == []


def test_an_unchanged_result_is_repeated_if_requested(start: Callable[..., Run]) -> None:
    run = start(count(repeats_unchanged=True))
    run.at(0, *insert((1, 1)))
    assert run.at(1, ("+I", (1, None))) == [("-U", (1, 1)), ("+U", (1, 1))]


def test_ended_groups_are_removed_once_they_are_half(start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_expiry, "_FEW", 8)
    monkeypatch.setattr(state_expiry, "_MANY", 8)
    run = start(count(), retention=0)
    for key in range(200):
        run.at(key, *insert((key, 1), (-1, 1)), ("-D", (key, 1)))
        assert run.keys <= 18
    assert run.at(300, *insert((-1, 1))) == [("-U", (-1, 200)), ("+U", (-1, 201))]


def test_ended_groups_of_a_small_state_are_removed_every_ten_seconds(start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_expiry, "_FEW", 8)
    run = start(count(), retention=0)
    sizes = []
    for key in range(500):
        run.at(100 * key, *insert((key, 1), (-1, 1)), ("-D", (key, 1)))
        sizes.append(run.keys)
    assert max(sizes) == 101  # the keys of ten seconds
    assert sizes.count(2) == 6  # at the beginning, and five times since
    assert run.at(60_000, *insert((-1, 1))) == [("-U", (-1, 500)), ("+U", (-1, 501))]


def test_live_groups_are_not_rebuilt(start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_expiry, "_FEW", 8)
    monkeypatch.setattr(state_expiry, "_MANY", 8)
    run = start(count(), retention=0)
    state = run.run._states[0]
    for key in range(100):
        run.at(key, *insert((key, 1)))
    assert run.run._states[0] is state


def renamed_after_expiry(batches: Sequence[tuple[int, Sequence[Change]]]) -> list[list[Change]]:
    """Returns the changes with a new key wherever a key recurs after its retention, because an expired key behaves like a new one."""
    last: dict[int, int] = {}
    lives: Counter[int] = Counter()
    result = []
    for time, changes in batches:
        keys = {row[0] for _, row in changes}
        lives.update(key for key in keys if key in last and time - last[key] >= RETENTION)
        last.update(dict.fromkeys(keys, time))
        result.append([(kind, (key + 1000 * lives[key], value)) for kind, (key, value) in changes])
    return result


@pytest.mark.parametrize(
    "operator",
    [
        count(),
        LastRowByKey(SCHEMA, [0], name="Deduplicate", gives_before=True),
        Rank(SCHEMA, SCHEMA, [0], (SortKey(1, True, True),), way=RankWay.APPEND, start=1, end=2, has_rank=False),
        Rank(SCHEMA, SCHEMA, [0], (SortKey(1, True, True),), way=RankWay.RETRACT, start=1, end=2, has_rank=False),
        SinkMaterialize(SCHEMA, [0], table="t", conflict=None),
    ],
    ids=lambda operator: operator.name,
)
@pytest.mark.parametrize("checks", [16, 1])
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("seed", rounds(3))
def test_an_expired_key_behaves_like_a_new_one(
    seed: int, operator: AnyOperator, restarts: bool, checks: int, start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_expiry, "_CHECKS", checks)
    chance = random.Random(seed)
    kinds = ["+I"] if isinstance(operator, Rank) and operator.way is RankWay.APPEND else ["+I", "+I", "-D"]
    batches: list[tuple[int, list[Change]]] = []
    time = 0
    for _ in range(40):
        time += chance.choice([1, 100, 400, 900, RETENTION - 1, RETENTION, 3500])
        changes = [(chance.choice(kinds), (chance.randint(0, 5), chance.randint(0, 4))) for _ in range(chance.randint(1, 5))]
        batches.append((time, changes))
    run, model = start(operator), start(operator, retention=0)
    for number, ((time, changes), renamed) in enumerate(zip(batches, renamed_after_expiry(batches), strict=True)):
        expected = [(kind, (row[0] % 1000, *row[1:])) for kind, row in model.at(time, *renamed)]
        assert run.at(time, *changes) == expected, f"seed {seed}, {time} ms"
        if restarts and number % 6 == 5:
            run.restart()


def test_another_run_with_the_same_state_does_not_look_at_all_keys_again(
    context: ExecutionContext, start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_expiry, "_FEW", 4)
    monkeypatch.setattr(state_expiry, "_MANY", 4)
    operator = count()
    run = start(operator, retention=0)
    run.at(0, *insert(*((key, 0) for key in range(10))))
    run.at(1, *insert((0, 0)))
    (state,) = run.run._states
    monkeypatch.setattr(state, "is_live", lambda slots: pytest.fail("it looks at all keys"))
    assert state_expiry.StateExpiry(operator, (0,), context).before_batch(state, 2) is state
