"""Snapshots of DISTINCT values that have only what has changed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType, VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.aggregates import distinct
from table_runtime.streaming.aggregates.changed_values import ChangedValues
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.checkpoints.file_store import open_store
from table_runtime.streaming.checkpoints.state_files import write_state
from table_runtime.streaming.checkpoints.stored_state import StoredState
from table_runtime.streaming.operators.group_aggregate import GroupAggregate, GroupState
from table_runtime.streaming.state.snapshots import Snapshot

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.string()), ("f", pa.bool_())])
RESULT = pa.schema([("k", pa.int64()), ("a", pa.int64()), ("b", pa.int64())])
Row = tuple[int, str | None, bool]


def aggregate(*, is_keyed: bool = True) -> GroupAggregate:
    """COUNT(DISTINCT v) and COUNT(DISTINCT v) FILTER (WHERE f)."""
    spec = AggregateSpec("COUNT", (VarCharType(),), BigIntType(nullable=False), ())
    columns = [AggregateColumn(make_accumulator(fn.COUNT, spec), (1,), distinct=True, filter=filter_) for filter_ in (None, 2)]
    schema = RESULT if is_keyed else pa.schema(list(RESULT)[1:])
    return GroupAggregate(schema, SCHEMA, [0] if is_keyed else [], columns, retracted=[True, True], gives_before=True)


def push(operator: GroupAggregate, state: GroupState, changes: list[tuple[int, Row]]) -> list[tuple[object, ...]]:
    """Applies changes (1 or -1, row); returns the rows that come out, with their kinds."""
    columns = [pa.array([row[number] for _, row in changes], field.type) for number, field in enumerate(SCHEMA)]
    kinds = np.array([0 if sign > 0 else 3 for sign, _ in changes], np.int8)
    out: list[tuple[object, ...]] = []

    def receive(batch: ChangeBatch) -> None:
        rows = zip(*batch.rows.to_pydict().values(), strict=True)
        out.extend((kind, *row) for kind, row in zip([0] * batch.num_rows if batch.kinds is None else batch.kinds, rows, strict=True))

    operator.process(ChangeBatch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA), kinds), 0, state, receive)
    return out


@pytest.fixture
def context() -> Iterator[ExecutionContext]:
    with closing(ExecutionContext(parallelism=1)) as context:
        yield context


@pytest.mark.sampled(1)
@pytest.mark.parametrize("is_keyed", [True, False])
@pytest.mark.parametrize("few", [2, 4096])
def test_a_state_that_is_restored_from_changes_goes_on_as_the_one_that_wrote_them(
    few: int, context: ExecutionContext, monkeypatch: pytest.MonkeyPatch, *, is_keyed: bool
) -> None:
    monkeypatch.setattr(distinct, "_FEW", few)
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    operator = aggregate(is_keyed=is_keyed)
    for _ in range(3):
        state, rows, snapshots = operator.create_state(context), list[Row](), list[Snapshot]()
        restored: GroupState | None = None
        for step in range(40):
            changes = []
            for _ in range(chance.randrange(1, 12)):
                if rows and chance.random() < 0.45:
                    changes.append((-1, rows.pop(chance.randrange(len(rows)))))
                else:
                    rows.append((chance.randrange(3), chance.choice([None, *"abcdefghij"]), chance.random() < 0.5))
                    changes.append((1, rows[-1]))
            if step % 7 == 5:  # all groups end, and may begin again in the same batch
                changes += [(-1, row) for row in rows]
                rows = [(chance.randrange(3), "a", True)] if chance.random() < 0.5 else []
                changes += [(1, row) for row in rows]
            result = push(operator, state, changes)
            if restored is not None:
                assert push(operator, restored, changes) == result
            if chance.random() < 0.5:
                slots, is_whole = state.take_slots(changes_only=bool(snapshots) and chance.random() < 0.9)
                pieces = np.array_split(slots, 2) if is_keyed and not is_whole else [slots]
                snapshots = [] if is_whole else snapshots
                snapshots = [*(state.snapshot_of(piece, is_whole=is_whole) for piece in pieces), *snapshots]
                restored = operator.create_state(context)
                restored.restore(snapshots)
                if chance.random() < 0.3:  # the job continues with the restored state
                    state, restored = restored, None


def test_values_that_are_gone_are_written_before_they_are_purged(context: ExecutionContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "_FEW", 2)
    operator = aggregate()
    state = operator.create_state(context)
    values = [(0, str(number), True) for number in range(30)]
    push(operator, state, [(1, row) for row in values])
    whole = state.snapshot()
    push(operator, state, [(-1, row) for row in values[1:]])
    for number in range(100, 130):
        push(operator, state, [(1, (0, str(number), True)), (-1, (0, str(number), True))])
    changes = state.snapshot(changes_only=True)
    restored = operator.create_state(context)
    restored.restore([changes, whole])
    assert push(operator, restored, [(1, values[5])]) == push(operator, state, [(1, values[5])]) == [(1, 0, 1, 1), (2, 0, 2, 2)]


def test_only_values_that_changed_are_written(context: ExecutionContext) -> None:
    operator = aggregate()
    state = operator.create_state(context)
    push(operator, state, [(1, (0, str(number), False)) for number in range(1000)])
    state.snapshot()
    push(operator, state, [(1, (0, "7", False)), (-1, (0, "8", False)), (1, (1, "new", False))])
    snapshot = state.snapshot(changes_only=True, bucket_count=1)
    (content,) = (tables["distinct0"] for tables in snapshot.buckets.values())
    rows = list(zip(*content.to_pydict().values(), strict=True))
    assert sorted(rows, key=str) == [(0, 0, "8"), (0, 2, "7"), (0, None, None), (1, 1, "new")]


def test_stored_values_are_those_of_all_files(tmp_path: str, context: ExecutionContext) -> None:
    operator, store = aggregate(), open_store(str(tmp_path))
    state = operator.create_state(context)
    files = []
    for number, changes in enumerate(
        [
            [(1, (0, "a", True)), (1, (0, "b", True)), (1, (1, "c", True)), (1, (2, "d", True))],
            [(1, (0, "a", True)), (-1, (0, "b", True)), (1, (0, "e", True)), (-1, (2, "d", True))],
            [(-1, (1, "c", True)), (1, (1, "f", True)), (1, (2, "g", True))],
        ]
    ):
        push(operator, state, changes)
        files.insert(0, write_state(store, f"s{number}.arrow", state.snapshot(changes_only=True)).to_json())
    stored = StoredState(store, {"Group#0": {"files": files, "signature": None, "operator": "Group"}})
    rows = [row for batch in stored.rows("Group#0", "distinct0") for row in zip(*batch.to_pydict().values(), strict=True)]
    assert sorted(rows) == [(0, 1, "e"), (0, 2, "a"), (1, 1, "f"), (2, 1, "g")]


def test_nothing_is_noted_before_the_first_snapshot() -> None:
    changed = ChangedValues()
    changed.note(np.array([3]))
    changed.note_begun(np.array([3]))
    changed.take(lambda numbers: numbers)
    assert changed.numbers().tolist() == []
    assert not changed.has_begun(np.array([3])).any()


def test_values_are_set_aside_and_renumbered() -> None:
    changed = ChangedValues()
    changed.take(lambda numbers: numbers)
    changed.note(np.array([4, 1, 2]))
    changed.take(lambda numbers: numbers % 2)
    changed.note(np.array([5]))
    assert changed.of(np.array([1, 7, 0]))[0].tolist() == [0, 2, 2]
    renumbered = np.full(6, -1)
    renumbered[[1, 4, 5]] = [0, 1, 2]
    changed.renumber(renumbered)
    assert sorted(changed.numbers().tolist()) == [0, 1, 2]
    assert [part.tolist() for part in changed.of(np.array([0, 1]))] == [[0, 1], [1, 0]]
