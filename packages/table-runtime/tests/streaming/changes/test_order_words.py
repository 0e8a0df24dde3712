"""Words of order keys compare as ORDER BY does."""

from __future__ import annotations

import itertools
import math
from datetime import date, datetime, time

import pyarrow as pa
import pytest

from table_runtime.columns.ordering import SortKey
from table_runtime.streaming.changes.order_words import has_order_words, order_words
from table_runtime.streaming.changes.sort_keys import sort_keys

VALUES = [
    pa.array([0, 1, -1, 127, -128], pa.int8()),
    pa.array([0, 5, -5, 2**63 - 1, -(2**63), 2**63 - 2], pa.int64()),
    pa.array([0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan, -math.nan, 5e-324, -5e-324, 1.7e308], pa.float64()),
    pa.array([0.0, -0.0, 2.5, -2.5, math.nan, math.inf], pa.float32()),
    pa.array([date(1969, 12, 31), date(1970, 1, 1), date(9999, 12, 31)], pa.date32()),
    pa.array([datetime(1969, 12, 31, 23, 59), datetime(2020, 1, 1)], pa.timestamp("us")),
    pa.array([time(0, 0), time(23, 59, 59)], pa.time32("ms")),
]


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("values", VALUES, ids=lambda values: str(values.type))
def test_words_compare_as_sort_keys_do(values: pa.Array, ascending: bool) -> None:
    key = SortKey(0, ascending, True)
    words = order_words(values, key).tolist()
    keys = sort_keys(pa.RecordBatch.from_arrays([values], ["a"]), [key])
    for one, other in itertools.product(range(len(values)), repeat=2):
        assert (words[one] < words[other]) == (keys[one] < keys[other]), (values[one], values[other])


def test_nulls_are_accepted() -> None:
    assert len(order_words(pa.array([None, 1.5]), SortKey(0, True, True))) == 2


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (pa.int32(), True),
        (pa.float64(), True),
        (pa.date32(), True),
        (pa.string(), False),
        (pa.decimal128(38, 2), False),
        (pa.bool_(), False),
    ],
    ids=str,
)
def test_types_with_words(type_: pa.DataType, expected: bool) -> None:
    assert has_order_words(type_) is expected
