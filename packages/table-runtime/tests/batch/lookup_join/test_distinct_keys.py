from __future__ import annotations

import math

import pyarrow as pa

from table_runtime.batch.lookup_join.distinct_keys import distinct_keys


def test_keys_with_null_or_nan_equal_nothing() -> None:
    columns = [pa.array([1.5, math.nan, -0.0, 0.0, None]), pa.array([1, 1, 2, 2, 1])]
    codes, keys = distinct_keys(columns, pa.schema([("f", pa.float64()), ("n", pa.int64())]))
    assert codes.to_pylist() == [0, None, 1, 1, None]
    assert keys.column("n").to_pylist() == [1, 2]


def test_keys_that_are_all_nan_are_no_keys() -> None:
    codes, keys = distinct_keys([pa.array([math.nan, None], pa.float32())], pa.schema([("f", pa.float32())]))
    assert (codes.to_pylist(), keys.num_rows) == ([None, None], 0)
