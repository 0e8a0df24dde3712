"""Tests for table_runtime.streaming.state.timed_rows."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.state import row_values
from table_runtime.streaming.state.timed_rows import TimedRows

SCHEMA = pa.schema([("a", pa.int64())])


def add(rows: TimedRows, *values: tuple[int, int, int]) -> None:
    """Adds rows of a slot, a time and a value."""
    slots, times, of_rows = (np.array(column, np.int64) for column in zip(*values, strict=True))
    rows.append(pa.RecordBatch.from_arrays([pa.array(of_rows)], schema=SCHEMA), slots, times, of_rows * 10)


def values(rows: TimedRows, positions: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    return list(rows.take(positions)[0].to_pylist())


def test_rows_are_found_by_time_and_by_slot_in_the_order_in_which_they_were_added() -> None:
    rows = TimedRows(SCHEMA)
    add(rows, (0, 30, 1), (1, 10, 2), (0, 20, 3))
    add(rows, (2, 5, 4))
    assert values(rows, rows.rows()) == [1, 2, 3, 4]
    assert values(rows, rows.until(20)) == [2, 3, 4]
    assert values(rows, rows.of_slots(np.array([2, 0]))) == [1, 3, 4]
    assert rows.before_of(rows.until(20)).tolist() == [20, 30, 40]
    assert (rows.times_of(rows.rows()).tolist(), rows.slots_of(rows.rows()).tolist()) == ([30, 10, 20, 5], [0, 1, 0, 2])
    assert rows.has_rows(np.array([0, 3, 2])).tolist() == [True, False, True]
    assert len(rows) == 4
    assert rows.schema == SCHEMA


def test_no_rows_are_found_where_there_are_none() -> None:
    rows = TimedRows(SCHEMA)
    assert (len(rows.until(5)), len(rows.of_slots(np.array([0]))), rows.has_rows(np.array([7])).tolist()) == (0, 0, [False])
    add(rows, (0, 1, 1))
    assert len(rows.of_slots(np.array([], np.int64))) == 0
    assert len(rows.of_slots(np.array([5]))) == 0


def test_a_number_can_be_kept_with_a_row() -> None:
    rows = TimedRows(SCHEMA)
    add(rows, (0, 1, 1), (0, 2, 2))
    rows.note(rows.until(1), 77)
    assert rows.notes_of(rows.rows()).tolist() == [77, 20]


@pytest.mark.parametrize("few", [0, 5, 4096])
def test_rows_that_stay_are_those_of_a_list(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_values, "_FEW", few)
    chance = random.Random(few)
    rows, known = TimedRows(SCHEMA), list[tuple[int, int, int]]()
    for step in range(60):
        new = [(chance.randrange(5), step * 3 + chance.randrange(20), step * 10 + i) for i in range(chance.randrange(1, 6))]
        add(rows, *new)
        known += new
        limit = step * 3 - chance.randrange(30) if step % 7 else 10_000
        gone = rows.until(limit)
        assert values(rows, gone) == [row[2] for row in known if row[1] <= limit]
        rows.remove(gone)
        known = [row for row in known if row[1] > limit]
        assert values(rows, rows.rows()) == [row[2] for row in known]
        assert rows.before_of(rows.rows()).tolist() == [row[2] * 10 for row in known]
        assert len(rows) == len(known)
        if step % 9 == 0:
            slots = np.array(chance.sample(range(5), 5))
            restored = TimedRows(SCHEMA)
            restored.restore(slots, rows.snapshot(slots))
            rows = restored


def test_restored_rows_are_in_the_order_in_which_they_came() -> None:
    rows = TimedRows(SCHEMA)
    add(rows, (0, 1, 1), (1, 2, 2), (0, 3, 3), (2, 4, 4))
    restored = TimedRows(SCHEMA)
    restored.restore(np.array([7]), rows.snapshot(np.array([1])))
    restored.restore(np.array([8, 9]), rows.snapshot(np.array([2, 0])))
    assert values(restored, restored.rows()) == [1, 2, 3, 4]
    add(restored, (7, 5, 5))
    assert values(restored, restored.rows()) == [1, 2, 3, 4, 5]
    assert restored.slots_of(restored.rows()).tolist() == [9, 7, 9, 8, 7]


def test_numbers_say_in_which_order_rows_came_that_are_added_in_another_one() -> None:
    rows = TimedRows(SCHEMA)
    numbers = rows.numbered(2)
    for position in (1, 0):
        batch = pa.RecordBatch.from_arrays([pa.array([position])], schema=SCHEMA)
        rows.append(batch, np.array([0]), np.array([0]), 0, numbers[[position]])
    assert rows.numbers_of(rows.rows()).tolist() == [1, 0]
    restored = TimedRows(SCHEMA)
    restored.restore(np.array([0]), rows.snapshot(np.array([0])))
    assert values(restored, restored.rows()) == [0, 1]
    assert restored.numbered(1).tolist() == [2]
