from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.set_operation import SetOperation, SetState
from table_runtime.streaming.operators.union import Union
from table_runtime.streaming.state import snapshots
from table_runtime.streaming.state.snapshots import BUCKETS, KEYS, Snapshot

if TYPE_CHECKING:
    from conftest import Change

SCHEMA = pa.schema([("a", pa.int32()), ("b", pa.string())])
OPERATOR = SetOperation(SCHEMA, 1, "Union", keeps_duplicates=False)

Push = Callable[[SetState, Sequence[Any]], None]


@pytest.fixture
def push(change_batch: Callable[[Sequence[Change], pa.Schema], ChangeBatch]) -> Push:
    def push(state: SetState, changes: Sequence[Change]) -> None:
        OPERATOR.process(change_batch(changes, SCHEMA), 0, state, lambda batch: None)

    return push


def written(snapshot: Snapshot) -> list[tuple[Any, ...]]:
    """Returns the keys that a snapshot holds, and whether they are there."""
    return sorted(key for tables in snapshot.buckets.values() for key in keys_of(tables))


def keys_of(tables: Mapping[str, pa.RecordBatch]) -> list[tuple[Any, ...]]:
    *columns, _, is_there = (column.to_pylist() for column in tables[KEYS].columns)
    return list(zip(*columns, is_there, strict=True))


def rows(*numbers: int, kind: str = "+I") -> list[Change]:
    return [(kind, (number, f"text {number}")) for number in numbers]


def test_a_snapshot_of_changes_holds_the_keys_touched_since_the_last_one(context: ExecutionContext, push: Push) -> None:
    state = OPERATOR.create_state(context)
    push(state, rows(1, 2, 3))
    assert len(written(state.snapshot())) == 3
    push(state, rows(2))
    assert written(state.snapshot(changes_only=True)) == [(2, "text 2", True)]
    assert written(state.snapshot(changes_only=True)) == []


def test_the_first_snapshot_is_whole(context: ExecutionContext, push: Push) -> None:
    state = OPERATOR.create_state(context)
    push(state, rows(1, 2))
    assert len(written(state.snapshot(changes_only=True))) == 2


def test_a_key_that_ended_is_a_tombstone_in_changes_and_left_out_of_whole_snapshots(context: ExecutionContext, push: Push) -> None:
    state = OPERATOR.create_state(context)
    push(state, rows(1, 2))
    whole = state.snapshot()
    push(state, rows(1, kind="-D"))
    changes = state.snapshot(changes_only=True)
    assert written(changes) == [(1, "text 1", False)]
    assert written(state.snapshot()) == [(2, "text 2", True)]
    restored = OPERATOR.create_state(context)
    restored.restore([changes, whole])
    assert written(restored.snapshot()) == [(2, "text 2", True)]


def test_the_newest_snapshot_of_a_key_counts(context: ExecutionContext, push: Push) -> None:
    state = OPERATOR.create_state(context)
    push(state, rows(1, 2))
    saved = [state.snapshot()]
    for _ in range(3):
        push(state, rows(1))
        saved.insert(0, state.snapshot(changes_only=True))
    restored = OPERATOR.create_state(context)
    restored.restore(saved)
    slots = restored.keys.find([pa.array([1, 2], pa.int32()), pa.array(["text 1", "text 2"])], 2)
    assert restored.counts[0, slots].tolist() == [4, 1]


def test_after_restoring_changes_are_those_since_then(context: ExecutionContext, push: Push) -> None:
    state = OPERATOR.create_state(context)
    push(state, rows(1, 2))
    restored = OPERATOR.create_state(context)
    restored.restore([state.snapshot()])
    push(restored, rows(3))
    assert written(restored.snapshot(changes_only=True)) == [(3, "text 3", True)]


def test_the_bucket_of_a_key_does_not_depend_on_the_keys_before_it(context: ExecutionContext, push: Push) -> None:
    changes = [*rows(*range(200)), ("+I", (None, None)), ("+I", (1, None))]
    buckets = []
    for order in (changes, changes[::-1]):
        state = OPERATOR.create_state(context)
        push(state, order)
        buckets.append({bucket: set(keys_of(tables)) for bucket, tables in state.snapshot().buckets.items()})
    assert buckets[0] == buckets[1]
    assert set(buckets[0]) <= set(range(BUCKETS))
    assert len(buckets[0]) > BUCKETS // 2


def test_an_operator_without_state_writes_nothing(context: ExecutionContext) -> None:
    state = Union(SCHEMA).create_state(context)
    assert state.snapshot() == Snapshot({}, is_whole=True)
    state.restore([state.snapshot()])


@pytest.mark.parametrize("few", [1, 5, 4096])
def test_buckets_are_restored_alone_or_together(few: int, context: ExecutionContext, push: Push, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "_FEW", few)
    state = OPERATOR.create_state(context)
    push(state, [*rows(*range(40)), *rows(*range(0, 40, 3), kind="-D")])
    whole = state.snapshot()
    push(state, [*rows(*range(0, 40, 4)), *rows(7, kind="-D")])
    saved = [state.snapshot(changes_only=True), whole]
    restored = OPERATOR.create_state(context)
    restored.restore(saved)
    assert counts(restored) == counts(state)
    assert len(counts(state)) == 29


def counts(state: SetState) -> dict[tuple[Any, ...], int]:
    """Returns how often each row is there."""
    slots = np.arange(state.keys.size)
    keys = zip(*(column.to_pylist() for column in state.keys.keys(slots)), strict=True)
    return {key: count for key, count in zip(keys, state.counts[0, slots].tolist(), strict=True) if count}
