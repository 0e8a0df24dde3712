import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.state import state_rows
from table_runtime.streaming.state.state_rows import StateRows

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.string())])


def batch(*rows: tuple[int, str]) -> pa.RecordBatch:
    keys, values = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays([pa.array(keys), pa.array(values)], schema=SCHEMA)


def apply(state: StateRows, signs: list[int], *rows: tuple[int, str]) -> None:
    changes = batch(*rows)
    keys = np.asarray(changes.column(0))
    state.apply(changes, state.ids(changes), np.array(signs), keys, np.zeros(len(signs), np.int64))


def values(state: StateRows, *keys: int) -> list[tuple[str, int]]:
    _, rows = state.find(np.array(keys))
    return list(zip(state.take(rows)[1].to_pylist(), state.counts[rows].tolist(), strict=True))


def test_equal_rows_are_counted_and_go_with_their_last_copy() -> None:
    state = StateRows(SCHEMA, [0, 1])
    apply(state, [1, 1, 1, -1], (1, "a"), (1, "a"), (1, "b"), (1, "a"))
    assert values(state, 1) == [("a", 1), ("b", 1)]
    apply(state, [-1], (1, "a"))
    assert values(state, 1) == [("b", 1)]


def test_a_row_that_was_gone_comes_behind_the_others() -> None:
    together, apart = StateRows(SCHEMA, [0, 1]), StateRows(SCHEMA, [0, 1])
    changes = [(1, "a"), (1, "b"), (1, "a"), (1, "a")]
    signs = [1, 1, -1, 1]
    apply(together, signs, *changes)
    for sign, row in zip(signs, changes, strict=True):
        apply(apart, [sign], row)
    assert values(together, 1) == values(apart, 1) == [("b", 1), ("a", 1)]


def test_with_an_upsert_key_a_row_replaces_the_one_before() -> None:
    state = StateRows(SCHEMA, [0], is_upsert_key=True)
    apply(state, [1, 1, 1], (1, "a"), (2, "x"), (1, "b"))
    assert values(state, 1, 2) == [("b", 1), ("x", 1)]
    apply(state, [-1], (1, "whatever"))
    assert values(state, 1, 2) == [("x", 1)]


def test_only_changes_of_rows_that_are_there_count() -> None:
    state = StateRows(SCHEMA, [0, 1])
    apply(state, [1], (1, "a"))
    present = state.present(state.ids(batch((1, "a"), (1, "a"), (1, "c"), (1, "c"), (1, "c"))), np.array([-1, -1, -1, 1, -1]))
    assert present.tolist() == [True, False, False, True, True]
    keyed = StateRows(SCHEMA, [0], is_upsert_key=True)
    assert keyed.present(keyed.ids(batch((1, "a"), (1, "b"), (1, "c"), (1, "c"))), np.array([-1, 1, -1, -1])).tolist() == [
        False,
        True,
        True,
        False,
    ]


def test_rows_that_are_gone_are_removed_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_rows, "_FEW", 2)
    state = StateRows(SCHEMA, [0, 1])
    for number in range(20):
        apply(state, [1], (1, str(number)))
        if number < 17:
            apply(state, [-1], (1, str(number)))
    assert state.size < 10
    assert values(state, 1) == [("17", 1), ("18", 1), ("19", 1)]


def test_rows_without_identity_are_all_kept() -> None:
    state = StateRows(SCHEMA, None)
    apply(state, [1, 1], (1, "a"), (1, "a"))
    assert values(state, 1) == [("a", 1), ("a", 1)]


def test_the_pairs_of_one_key_with_many_rows_come_in_parts_and_in_order() -> None:
    state = StateRows(SCHEMA, [0, 1])
    apply(state, [1] * 200, *((1, str(number)) for number in range(200)))
    apply(state, [-1], (1, "7"))
    parts = list(state.find_in_parts(np.array([1]), 64))
    assert [len(rows) for _, rows in parts] == [63, 64, 64, 8]
    found = state.find(np.array([1]))
    assert [np.concatenate(column).tolist() for column in zip(*parts, strict=True)] == [column.tolist() for column in found]


def test_the_pairs_of_several_keys_come_together() -> None:
    state = StateRows(SCHEMA, [0, 1])
    apply(state, [1] * 4, (1, "a"), (2, "a"), (1, "b"), (1, "c"))
    ((positions, rows),) = state.find_in_parts(np.array([2, 1]), 2)
    assert list(zip(positions.tolist(), state.take(rows)[1].to_pylist(), strict=True)) == [(0, "a"), (1, "a"), (1, "b"), (1, "c")]


def test_pairs_are_repeated_as_often_as_their_rows_are_there() -> None:
    state = StateRows(SCHEMA, [0, 1])
    apply(state, [1, 1, 1], (1, "a"), (1, "b"), (1, "a"))
    positions, rows = state.repeated(*state.find(np.array([5, 1])))
    assert positions.tolist() == [1, 1, 1]
    assert state.take(rows)[1].to_pylist() == ["a", "a", "b"]


def test_partners_are_stored_only_if_they_are_counted() -> None:
    state = StateRows(SCHEMA, None, counts_partners=False)
    changes = batch(*((1, str(number)) for number in range(2000)))
    state.apply(changes, state.ids(changes), np.ones(2000, np.int64), np.asarray(changes.column(0)), np.full(2000, 9))
    assert len(state.partners) == 1024
    assert not state.partners.any()
    restored = StateRows(SCHEMA, None, counts_partners=False)
    restored.restore(np.array([1]), state.snapshot(np.array([1])))
    assert values(restored, 1) == values(state, 1)


def test_rows_saved_without_retention_expire_after_they_are_restored_with_it() -> None:
    state = StateRows(SCHEMA, [0, 1])
    apply(state, [1], (1, "a"))
    restored = StateRows(SCHEMA, [0, 1])
    restored.set_time(5000, 100)
    restored.restore(np.array([1]), state.snapshot(np.array([1])))
    restored.set_time(5099, 100)
    assert values(restored, 1) == [("a", 1)]
    restored.set_time(5100, 100)
    assert values(restored, 1) == []
