"""Tests for table_runtime.streaming.changes.row_changes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.changes.batch import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE
from table_runtime.streaming.changes.row_changes import RowChanges

VALUES = [pa.array([1, 2, None, None]), pa.array([0.0, float("nan"), 1.0, 1.0])]


def given(*changes: tuple[int, int, int], gives_before: bool = True) -> list[tuple[int, int, int]]:
    columns = (np.array(column, np.int64) for column in zip(*changes, strict=True))
    result = RowChanges(*columns).given(VALUES, gives_before=gives_before)
    return list(zip(result.rows.tolist(), result.positions.tolist(), result.kinds.tolist(), strict=True))


def test_rows_appear_change_and_go() -> None:
    assert given((0, -1, 0), (1, 0, 1), (2, 1, -1)) == [(0, 0, INSERT), (1, 0, UPDATE_BEFORE), (1, 1, UPDATE_AFTER), (2, 1, DELETE)]


def test_without_rows_before_updates_deletions_stay() -> None:
    assert given((0, 0, 1), (1, 1, -1), gives_before=False) == [(0, 1, UPDATE_AFTER), (1, 1, DELETE)]


@pytest.mark.parametrize("change", [(0, 2, 3), (0, 1, 1), (0, -1, -1)])
def test_what_stays_as_it_is_gives_nothing(change: tuple[int, int, int]) -> None:
    assert given(change) == []


def test_changes_stand_in_the_order_of_the_input() -> None:
    assert [row for row, _, _ in given((3, 0, 1), (0, -1, 2), (2, 1, 0))] == [0, 2, 2, 3, 3]
