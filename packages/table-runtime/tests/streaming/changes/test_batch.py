"""Tests for table_runtime.streaming.changes.batch."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.changes.batch import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, ChangeBatch

SCHEMA = pa.schema([("a", pa.int64())])


def batch(*, kinds: bool = True, before: bool = True) -> ChangeBatch:
    rows = pa.RecordBatch.from_arrays([pa.array([1, 2, 3, 4])], schema=SCHEMA)
    of_rows = np.array([INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE], np.int8) if kinds else None
    return ChangeBatch(rows, of_rows, np.array([10, 20, 30, 40]) if before else None)


def test_signs_say_whether_a_row_adds_or_retracts() -> None:
    assert batch().signs.tolist() == [1, -1, 1, -1]
    assert batch(kinds=False).signs.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("part", [batch().slice(1, 2), batch().take(np.array([1, 2]))])
def test_some_rows_keep_their_kinds_and_watermarks(part: ChangeBatch) -> None:
    assert part.rows.to_pydict() == {"a": [2, 3]}
    assert part.kinds is not None
    assert part.kinds.tolist() == [UPDATE_BEFORE, UPDATE_AFTER]
    assert part.before is not None
    assert part.before.tolist() == [20, 30]
    assert part.num_rows == 2


def test_some_rows_of_insertions_without_watermarks_have_neither() -> None:
    plain = batch(kinds=False, before=False)
    for part in (plain.slice(1, 2), plain.take(np.array([1, 2]))):
        assert (part.kinds, part.before) == (None, None)


def test_the_kind_is_a_column_behind_the_rows() -> None:
    assert batch().with_kind_column().to_pydict() == {"a": [1, 2, 3, 4], "$row_kind": [0, 1, 2, 3]}
    assert batch(kinds=False).with_kind_column().column(1).to_pylist() == [0, 0, 0, 0]


def test_numbers_of_changes_hold_the_kinds() -> None:
    numbered = pa.RecordBatch.from_arrays([pa.array([1, 2]), pa.array([4 * 17 + DELETE, 4 * 18 + INSERT])], ["a", "n"])
    changes = ChangeBatch.of_numbered(numbered, SCHEMA)
    assert changes.rows.schema == SCHEMA
    assert changes.kinds is not None
    assert changes.kinds.tolist() == [DELETE, INSERT]
    assert repr(changes) == "ChangeBatch(2 rows)"


def test_rows_without_watermarks_have_that_of_the_input() -> None:
    assert batch(before=False).watermarks(7).tolist() == [7, 7, 7, 7]
    assert batch().watermarks(7).tolist() == [10, 20, 30, 40]
