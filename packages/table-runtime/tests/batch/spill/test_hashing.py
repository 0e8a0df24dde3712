"""Hashes of rows."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.batch.spill.hashing import partition_numbers

EQUAL: list[tuple[pa.DataType, list[Any]]] = [
    (pa.float64(), [0.0, -0.0]),
    (pa.float32(), [math.nan, -math.nan]),
    (pa.decimal128(38, 2), [Decimal("1.00"), Decimal("1")]),
    (pa.list_(pa.float64()), [[0.0, None], [-0.0, None]]),
    (pa.map_(pa.string(), pa.int32()), [[("a", 1), ("b", 2)], [("b", 2), ("a", 1)]]),
    (pa.int64(), [None, None]),
]
COLUMNS: list[pa.Array] = [
    pa.array(range(4000), pa.int64()),
    pa.array([i * 1024 for i in range(4000)], pa.int32()),
    pa.array([float(i) for i in range(4000)]),
    pa.array([f"text {i}" for i in range(4000)]),
    pa.array([str(i % 1000) for i in range(4000)]),
    pa.array([str(i).encode() for i in range(4000)]),
    pa.array([Decimal(i) for i in range(4000)], pa.decimal128(20, 4)),
    pa.array([date.fromordinal(700_000 + i) for i in range(4000)]),
    pa.array([time(i // 3600, i // 60 % 60, i % 60) for i in range(4000)], pa.time32("ms")),
    pa.array([datetime.fromtimestamp(i, UTC) for i in range(4000)], pa.timestamp("ns", "UTC")),
    pa.array([{"a": i} for i in range(4000)]),
    pa.array([str(i) for i in range(4000)]).dictionary_encode(),
]


@pytest.mark.parametrize(("type_", "values"), EQUAL, ids=str)
def test_equal_keys_have_equal_numbers(type_: pa.DataType, values: list[Any]) -> None:
    numbers = partition_numbers([pa.array([1, 1]), pa.array(values, type_)], 1 << 20, 0)
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.type))
def test_numbers_are_spread_and_levels_are_independent(column: pa.Array) -> None:
    first, second = (partition_numbers([column], 16, level).tolist() for level in (0, 1))
    assert set(first) == set(range(16))
    within = [b for a, b in zip(first, second, strict=True) if a == first[0]]
    assert len(set(within)) > 8
    assert max(first.count(number) for number in range(16)) < 800


def test_a_slice_has_the_numbers_of_its_rows() -> None:
    for column in COLUMNS:
        assert np.array_equal(partition_numbers([column.slice(7, 100)], 64, 2), partition_numbers([column], 64, 2)[7:107])


def test_several_columns_count_in_their_order() -> None:
    a, b = pa.array(range(100)), pa.array(range(100, 200))
    numbers = partition_numbers([a, b], 1 << 20, 0)
    assert not np.array_equal(numbers, partition_numbers([b, a], 1 << 20, 0))
    assert not np.array_equal(numbers, partition_numbers([a, a], 1 << 20, 0))


def test_every_word_of_a_text_counts_up_to_the_last() -> None:
    common = "x" * 40
    texts = [common + str(i) + common for i in range(1000)] + ["a" * i for i in range(1000)] + ["b" * 600 + str(i) for i in range(10)]
    column = pa.array([None, *texts])
    numbers = partition_numbers([column], 1 << 30, 0)
    assert len(set(numbers.tolist())) == len(column)
    for offsets in (pa.large_string(), pa.binary(), pa.large_binary()):
        assert np.array_equal(partition_numbers([column.cast(offsets)], 1 << 30, 0), numbers)
