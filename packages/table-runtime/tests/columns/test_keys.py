"""Encoded keys: equal in Arrow if they are equal in SQL."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.columns.keys import KeyCodec, is_nested

ROW = pa.struct([("a", pa.int32()), ("b", pa.float64())])


@pytest.mark.parametrize("type_", [pa.float32(), pa.float64()])
def test_zeros_of_both_signs_are_one_key_and_nan_is_one(type_: pa.DataType) -> None:
    (encoded,) = KeyCodec([type_]).encode([pa.array([0.0, -0.0, math.nan, math.inf - math.inf, None], type_)])
    bits = encoded.view(pa.int64() if type_ == pa.float64() else pa.int32()).to_pylist()
    assert (bits[0] == bits[1], bits[2] == bits[3], encoded[4].as_py()) == (True, True, None)


@pytest.mark.parametrize(
    ("type_", "values", "codes"),
    [
        (pa.list_(pa.float64()), [[0.0], [-0.0], [math.nan], [math.nan], None, [None], []], [0, 0, 1, 1, None, 2, 3]),
        (ROW, [{"a": 1, "b": 0.0}, {"a": 1, "b": -0.0}, {"a": None, "b": None}, None], [0, 0, 1, None]),
        (pa.map_(pa.string(), pa.int32()), [[("x", 1), ("y", None)], [("y", None), ("x", 1)], []], [0, 0, 1]),
        (pa.list_(ROW), [[{"a": 1, "b": math.nan}], [{"a": 1, "b": math.nan}], [None]], [0, 0, 1]),
    ],
)
def test_nested_values_become_codes(type_: pa.DataType, values: list[Any], codes: list[int | None]) -> None:
    codec = KeyCodec([type_])
    column = pa.array(values, type_)
    (encoded,) = codec.encode([column])
    assert encoded.to_pylist() == codes
    (decoded,) = codec.decode([encoded])
    assert decoded.type == type_
    assert codec.encode([decoded])[0].to_pylist() == codes


def test_both_sides_of_a_join_share_their_codes() -> None:
    codec = KeyCodec([pa.list_(pa.int32())])
    codec.encode([pa.array([[1], [2]], pa.list_(pa.int32()))])
    assert codec.encode([pa.array([[2], [3]], pa.list_(pa.int32()))])[0].to_pylist() == [1, 2]


def test_an_extended_codec_has_the_same_codes_first() -> None:
    codec = KeyCodec([pa.list_(pa.int32())])
    codec.encode([pa.array([[1], [2]], pa.list_(pa.int32()))])
    longer = codec.extended([pa.string()])
    columns = longer.encode([pa.array([[2]], pa.list_(pa.int32())), pa.array(["x"])])
    assert [column.to_pylist() for column in columns] == [[1], ["x"]]
    assert longer.types == (pa.list_(pa.int32()), pa.string())
    assert longer.decode(columns[1:], first=1)[0].to_pylist() == ["x"]


def test_columns_of_null_can_be_keys() -> None:
    codec = KeyCodec([pa.null()])
    (encoded,) = codec.encode([pa.nulls(2)])
    assert (encoded.type, codec.decode_one(0, encoded).type) == (pa.int8(), pa.null())


@pytest.mark.parametrize(
    ("type_", "expected"), [(ROW, True), (pa.list_(pa.int8()), True), (pa.string(), False), (pa.decimal128(5, 2), False)]
)
def test_which_types_are_nested(type_: pa.DataType, expected: bool) -> None:
    assert is_nested(type_) is expected


def test_what_divides_nested_keys_depends_on_the_values_alone() -> None:
    type_ = pa.list_(pa.int64())
    values = pa.array([[1], None, [2, None], [3]], type_)
    first, second = KeyCodec([type_]), KeyCodec([type_])
    second.encode([pa.array([[3], [2, None]], type_)])  # another thread meets other values first
    assert first.encode_one(0, values) != second.encode_one(0, values)
    assert first.dividing(0, first.encode_one(0, values)).equals(second.dividing(0, second.encode_one(0, values)))
