import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.streaming.state.key_words import KeyWords

VALUES: list[tuple[pa.DataType, list[Any]]] = [
    (pa.int8(), [-128, 127, None]),
    (pa.int64(), [-(2**63), 2**63 - 1, 0, None]),
    (pa.bool_(), [True, False, None]),
    (pa.string(), ["", "a", "é", None]),
    (pa.binary(), [b"", b"\x00", None]),
    (pa.float32(), [1.5, -2.25, None]),
    (pa.float64(), [1.5, math.inf, None]),
    (pa.decimal128(38, 10), [Decimal("1.5"), Decimal("-9999999999999999999999999999"), None]),
    (pa.date32(), [dt.date(1, 1, 1), dt.date(9999, 12, 31), None]),
    (pa.time32("ms"), [dt.time(23, 59, 59, 999000), None]),
    (pa.timestamp("us"), [dt.datetime(1969, 12, 31, 23, 59), None]),
    (pa.list_(pa.int32()), [[1, None], [], None]),
    (pa.struct([("x", pa.int32())]), [{"x": 1}, {"x": None}, None]),
]


@pytest.mark.parametrize(("type_", "values"), VALUES, ids=str)
def test_words_differ_for_different_values_and_are_read_back(type_: pa.DataType, values: list[Any]) -> None:
    words = KeyWords([type_])
    column = pa.array([*values, *values], type_)
    encoded = words.encode([column], len(column))
    keys = [tuple(encoded[:, i].tolist()) for i in range(len(column))]
    assert keys[: len(values)] == keys[len(values) :]
    assert len(set(keys)) == len(values)
    (decoded,) = words.decode(encoded)
    assert decoded.equals(column)


def test_slices_are_encoded_as_the_rows_that_they_hold() -> None:
    words = KeyWords([pa.decimal128(10, 2), pa.string()])
    columns = [pa.array([Decimal("1.10"), Decimal("2.20"), Decimal("3.30")], pa.decimal128(10, 2)), pa.array(["a", "b", "c"])]
    whole = words.encode(columns, 3)
    part = words.encode([column.slice(1, 2) for column in columns], 2)
    assert (whole[:, 1:] == part).all()


def test_signed_zeros_are_one_value_and_so_are_all_nans() -> None:
    words = KeyWords([pa.float64()])
    encoded = words.encode([pa.array([0.0, -0.0, math.nan, -math.nan])], 4)
    assert encoded[0, 0] == encoded[0, 1]
    assert encoded[0, 2] == encoded[0, 3]


def test_more_columns_than_bits_of_a_word_keep_their_nulls_apart() -> None:
    count = 70
    words = KeyWords([pa.int32()] * count)
    encoded = words.encode([pa.array([None if i == j else 0 for j in range(count)], pa.int32()) for i in range(count)], count)
    assert len({tuple(encoded[:, i].tolist()) for i in range(count)}) == count
