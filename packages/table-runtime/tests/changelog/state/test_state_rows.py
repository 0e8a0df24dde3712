import numpy as np
import pyarrow as pa
import pytest

from table_runtime.changelog.state import state_rows
from table_runtime.changelog.state.state_rows import StateRows

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
