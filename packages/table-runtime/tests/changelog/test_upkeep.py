"""State expires after its retention, and the room of keys that ended is used again. The clock is given."""

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
from table_runtime.changelog import graph as graphs
from table_runtime.changelog import upkeep
from table_runtime.changelog.batch import ChangeBatch
from table_runtime.changelog.graph import Edge, Graph, GraphRun, Node
from table_runtime.changelog.operator import AnyOperator
from table_runtime.changelog.operators.changelog_normalize import LastRowByKey
from table_runtime.changelog.operators.group_aggregate import GroupAggregate
from table_runtime.changelog.operators.join import Join, JoinSide
from table_runtime.changelog.operators.keep_first_row import KeepFirstRow
from table_runtime.changelog.operators.rank import Rank, RankWay
from table_runtime.changelog.operators.set_operation import SetOperation
from table_runtime.changelog.operators.sink_materialize import SinkMaterialize
from table_runtime.changelog.state.snapshots import KEYS
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.hash_aggregate import AggregateColumn
from table_runtime.operators.join_output import JoinKind
from table_runtime.ordering import SortKey

if TYPE_CHECKING:
    from conftest import Change

RETENTION = 1600
SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64())])


class Run:
    """One operator, which is given changes at given times."""

    def __init__(
        self,
        operator: AnyOperator,
        context: ExecutionContext,
        monkeypatch: pytest.MonkeyPatch,
        change_batch: Callable[[Sequence[Change], pa.Schema], ChangeBatch],
        retention: int = RETENTION,
    ) -> None:
        self.given: list[Change] = []
        self.run = GraphRun(Graph([], [Node(operator, 2, [Edge(None, 0)], retention)]), context, [self._receive])
        self._patch = monkeypatch
        self._change_batch = change_batch

    def _receive(self, batch: ChangeBatch) -> None:
        kinds = np.zeros(batch.num_rows, np.int8) if batch.kinds is None else batch.kinds
        rows = zip(*(column.to_pylist() for column in batch.rows.columns), strict=True)
        self.given += [(RowKind(int(kind)).short_string, row) for kind, row in zip(kinds, rows, strict=True)]

    def at(self, time: int, *changes: Change, side: int = 0) -> list[Change]:
        """Gives changes at a time; returns what the operator gives."""
        self.given = []
        self._patch.setattr(graphs, "processing_time", lambda: time)
        self.run.push([Edge(0, side)], self._change_batch(changes, SCHEMA))
        return self.given

    @property
    def keys(self) -> int:
        """How many keys the operator has room for."""
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


def test_a_group_that_is_touched_within_the_retention_goes_on(start: Callable[..., Run]) -> None:
    run = start(count())
    assert run.at(0, *insert((1, 1))) == [("+I", (1, 1))]
    assert run.at(1500, *insert((1, 1))) == [("-U", (1, 1)), ("+U", (1, 2))]
    assert run.at(3100, *insert((1, 1))) == [("-U", (1, 2)), ("+U", (1, 3))]


def test_a_group_that_was_not_touched_is_new(start: Callable[..., Run]) -> None:
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


def test_state_that_expired_takes_no_room(start: Callable[..., Run]) -> None:
    run = start(count())
    run.at(0, *insert(*((key, 1) for key in range(1000))))
    run.at(2000, *insert((5, 1)))
    assert run.keys == 1


def test_a_snapshot_after_state_expired_is_whole(start: Callable[..., Run]) -> None:
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


def test_state_of_a_run_without_retention_expires_from_its_restoration_on(
    start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = start(count(), retention=0)
    first.at(0, *insert((1, 1)))
    second = start(count())
    monkeypatch.setattr(graphs, "processing_time", lambda: 5000)
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
def test_operators_forget_keys_that_were_not_touched(operator: AnyOperator, start: Callable[..., Run]) -> None:
    run = start(operator)
    assert run.at(0, *insert((1, 7), (2, 7))) == insert((1, 7), (2, 7))
    assert run.at(100, *insert((1, 7))) == []
    assert run.at(1701, *insert((1, 7), (2, 7))) == insert((1, 7), (2, 7)) or run.keys == 2
    assert run.at(4000, *insert((1, 7))) == insert((1, 7))
    assert run.keys == 1


def test_a_sink_forgets_the_rows_of_keys_that_were_not_touched(start: Callable[..., Run]) -> None:
    run = start(SinkMaterialize(SCHEMA, [0], table="t", conflict=None))
    run.at(0, *insert((1, 1)), *insert((1, 2)))
    assert run.at(2000, ("-D", (1, 2))) == []
    assert run.at(2001, *insert((1, 3))) == [("+I", (1, 3))]


@pytest.mark.parametrize("conflict", ["NOTHING", "ERROR"])
def test_rows_that_wait_for_the_end_of_the_input_do_not_expire(start: Callable[..., Run], conflict: str) -> None:
    run = start(SinkMaterialize(SCHEMA, [0], table="t", conflict=conflict))
    run.at(0, *insert((1, 1)))
    run.at(9000, *insert((2, 2)))
    run.given = []
    run.run.end([Edge(0, 0)])
    run.run.end([Edge(0, 0)])
    assert run.given[:2] == insert((1, 1), (2, 2))


def test_rows_that_are_dropped_do_not_prolong_the_life_of_the_first_one(start: Callable[..., Run]) -> None:
    run = start(KeepFirstRow(SCHEMA, [0]))
    assert [time for time in range(0, 6000, 500) if run.at(time, *insert((1, time)))] == [0, 2000, 4000]


def test_a_row_of_an_outer_join_lives_on_while_its_partners_are_counted(start: Callable[..., Run]) -> None:
    run = start(join(JoinKind.LEFT))
    run.at(0, *insert((1, 10)))
    run.at(1000, *insert((1, 20)), side=1)
    assert run.at(2000, *insert((1, 21)), side=1) == [("+I", (1, 10, 1, 21))]
    assert run.at(5000, *insert((1, 22)), side=1) == []


def test_a_row_of_an_inner_join_expires_whether_or_not_it_has_partners(start: Callable[..., Run]) -> None:
    run = start(join(JoinKind.INNER))
    run.at(0, *insert((1, 10)))
    run.at(1000, *insert((1, 20)), side=1)
    assert run.at(2000, *insert((1, 21)), side=1) == []


def test_rows_of_a_join_expire_one_by_one(start: Callable[..., Run]) -> None:
    run = start(join(JoinKind.INNER))
    run.at(0, *insert((1, 10)))
    run.at(1000, *insert((1, 11)))
    assert run.at(1500, *insert((1, 20)), side=1) == [("+I", (1, 10, 1, 20)), ("+I", (1, 11, 1, 20))]
    assert run.at(1800, *insert((1, 21)), side=1) == [("+I", (1, 11, 1, 21))]
    assert run.at(5000, *insert((1, 22)), side=1) == []
    assert run.at(5001, *insert((1, 12))) == [("+I", (1, 12, 1, 22))]


def test_the_retraction_of_a_row_that_expired_is_ignored(start: Callable[..., Run]) -> None:
    run = start(join(JoinKind.LEFT))
    assert run.at(0, *insert((1, 10))) == [("+I", (1, 10, None, None))]
    assert run.at(2000, ("-D", (1, 10))) == []
    assert run.at(2001, *insert((1, 20)), side=1) == []


def test_a_result_that_stays_is_repeated_if_wanted(start: Callable[..., Run]) -> None:
    run = start(count(repeats_unchanged=True))
    run.at(0, *insert((1, 1)))
    assert run.at(1, ("+I", (1, None))) == [("-U", (1, 1)), ("+U", (1, 1))]


def test_groups_that_ended_are_removed_when_half_of_them_have(start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "_FEW", 8)
    run = start(count(), retention=0)
    for key in range(200):
        run.at(key, *insert((key, 1), (-1, 1)), ("-D", (key, 1)))
        assert run.keys <= 18
    assert run.at(300, *insert((-1, 1))) == [("-U", (-1, 200)), ("+U", (-1, 201))]


def test_groups_that_are_there_are_not_rebuilt(start: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "_FEW", 8)
    run = start(count(), retention=0)
    state = run.run._states[0]
    for key in range(100):
        run.at(key, *insert((key, 1)))
    assert run.run._states[0] is state


def renamed_after_expiry(batches: Sequence[tuple[int, Sequence[Change]]]) -> list[list[Change]]:
    """Returns the changes with another key whenever a key comes again after its retention: what expired is as if it had not been there."""
    last: dict[int, int] = {}
    lives: Counter[int] = Counter()
    result = []
    for time, changes in batches:
        keys = {row[0] for _, row in changes}
        lives.update(key for key in keys if key in last and time - last[key] > RETENTION)
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
@pytest.mark.parametrize("seed", range(5))
def test_a_key_that_expired_is_as_if_it_had_not_been_there(seed: int, operator: AnyOperator, start: Callable[..., Run]) -> None:
    chance = random.Random(seed)
    kinds = ["+I"] if isinstance(operator, Rank) and operator.way is RankWay.APPEND else ["+I", "+I", "-D"]
    batches: list[tuple[int, list[Change]]] = []
    last: dict[int, int] = {}
    time = 0
    for _ in range(30):
        time += chance.choice([1, 100, 400, 900, 3500])
        # A key that comes shortly after its retention may or may not have expired.
        unclear = range(RETENTION + 1, RETENTION + RETENTION // 16 + 2)
        keys = [key for key in range(6) if key not in last or time - last[key] not in unclear]
        changes = [(chance.choice(kinds), (chance.choice(keys), chance.randint(0, 4))) for _ in range(chance.randint(1, 5) if keys else 0)]
        last.update({row[0]: time for _, row in changes})
        batches += [(time, changes)] if changes else []
    run, model = start(operator), start(operator, retention=0)
    for (time, changes), renamed in zip(batches, renamed_after_expiry(batches), strict=True):
        expected = [(kind, (row[0] % 1000, *row[1:])) for kind, row in model.at(time, *renamed)]
        assert run.at(time, *changes) == expected, f"seed {seed}, {time} ms"
