"""Tests for table_runtime.streaming.state.row_values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.state import row_values
from table_runtime.streaming.state.row_values import RowValues


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


@pytest.mark.parametrize("count", [1, 5, 100, 3000])
def test_few_and_many_rows_of_several_chunks_are_taken_more_than_once(count: int) -> None:
    values = RowValues(pa.schema([("a", pa.string())]))
    texts = [None if number % 13 == 0 else f"text {number}" for number in range(1000)]
    for start, end in ((0, 700), (700, 900), (900, 990), (990, 1000)):
        values.append(pa.record_batch({"a": texts[start:end]}))
    numbers = np.random.default_rng(count).integers(-1, 1000, count)
    expected = [None if number < 0 else texts[number] for number in numbers.tolist()]
    assert values.take(numbers)[0].to_pylist() == expected
    present = np.unique(numbers[numbers >= 0])
    assert values.take(present)[0].to_pylist() == [texts[number] for number in present.tolist()]
    assert values.take(np.full(3, -1))[0].to_pylist() == [None] * 3


@pytest.mark.parametrize("large", [1, 1 << 28])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_chunks_of_any_sizes_are_few_unless_they_are_large(seed: int, large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_values, "_LARGE", large)
    values = RowValues(pa.schema([("a", pa.string()), ("b", pa.int64())]))
    random = np.random.default_rng(seed)
    for size in (4 ** random.integers(0, 6, 300)).tolist():
        values.append(pa.record_batch({"a": [str(values.size + n) for n in range(size)], "b": np.arange(values.size, values.size + size)}))
    numbers = random.integers(-1, values.size, 2000)
    texts = [None if number < 0 else str(number) for number in numbers.tolist()]
    assert values.take(numbers)[0].to_pylist() == texts
    assert [column.null_count for column in values.take(numbers, {0})] == [texts.count(None), 2000]
    assert values.take(numbers, {1})[1].to_pylist() == [None if number < 0 else number for number in numbers.tolist()]
    assert values.take(numbers, {1})[0].null_count == 2000
    assert len(values._chunks) == 300 if large == 1 else len(values._chunks) < 40


COLUMNS: list[tuple[pa.DataType, list[Any]]] = [
    (pa.int8(), [1, None, -128]),
    (pa.int64(), [2**63 - 1, None, -(2**63)]),
    (pa.uint32(), [0, 2**32 - 1]),
    (pa.float32(), [-0.0, float("inf"), None]),
    (pa.bool_(), [True, None, False]),
    (pa.string(), ["", None, "é"]),
    (pa.date32(), [dt.date(1, 1, 1), None]),
    (pa.time32("ms"), [dt.time(1, 2, 3), None]),
    (pa.timestamp("us"), [dt.datetime(1969, 1, 1), None]),
    (pa.duration("ms"), [dt.timedelta(days=-1), None]),
    (pa.decimal128(38, 2), [Decimal("-999999999999999999999999999999999999.99"), None]),
    (pa.decimal256(76, 0), [Decimal(10) ** 70, None]),
    (pa.list_(pa.int32()), [[1, None], None, []]),
    (pa.null(), [None, None]),
]


@pytest.mark.parametrize("cuts", [(6,), (1, 2, 3), (3, 1, 1, 1)], ids=str)
def test_values_of_all_types_are_taken_as_they_came(cuts: tuple[int, ...]) -> None:
    """Slices start within the buffers of a column."""
    arrays = [pa.array([*values[-1:], *values, *values, *values][:7], type_).slice(1) for type_, values in COLUMNS]
    arrays = [pa.concat_arrays([array, pa.nulls(6 - len(array), array.type)]) if len(array) < 6 else array for array in arrays]
    batch = pa.RecordBatch.from_arrays(arrays, [str(number) for number in range(len(arrays))])
    values = RowValues(batch.schema)
    start = 0
    for count in cuts:
        values.append(batch.slice(start, count))
        start += count
    numbers = np.array([5, 0, -1, 3, 3])
    expected = batch.take(pa.array(numbers, mask=numbers < 0)).columns
    assert [one.equals(other) for one, other in zip(values.take(numbers), expected, strict=True)] == [True] * len(COLUMNS)
    values.keep(np.array([4, 1]))
    kept = values.take(np.array([1, 0]))
    assert [one.equals(other) for one, other in zip(kept, batch.take(pa.array([1, 4])).columns, strict=True)] == [True] * len(COLUMNS)


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
