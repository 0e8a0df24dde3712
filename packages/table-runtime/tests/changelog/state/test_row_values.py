"""Tests for table_runtime.changelog.state.row_values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.changelog.state import row_values
from table_runtime.changelog.state.row_values import RowValues


def of_range(*sizes: int) -> RowValues:
    values = RowValues(pa.schema([("a", pa.int64())]))
    for size in sizes:
        values.append(pa.record_batch({"a": np.arange(values.size, values.size + size)}))
    return values


@pytest.mark.parametrize("sizes", [(), (7,), (100, 1, 1), (1, 50, 3, 200)])
def test_rows_are_taken_by_number_and_no_row_is_null(sizes: tuple[int, ...]) -> None:
    values = of_range(*sizes)
    numbers = np.array([*reversed(range(values.size)), -1])
    assert values.take(numbers)[0].to_pylist() == [*numbers[:-1].tolist(), None]


def test_kept_rows_are_numbered_anew() -> None:
    values = of_range(10, 3)
    values.keep(np.array([12, 4]))
    values.append(pa.record_batch({"a": [77]}))
    assert values.size == 3
    assert values.take(np.arange(3))[0].to_pylist() == [12, 4, 77]


def test_rows_that_are_gone_are_many_above_twice_those_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_values, "_FEW", 2)
    assert not of_range(12).has_many_gone(5)
    assert of_range(13).has_many_gone(5)
