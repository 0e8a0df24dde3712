"""JSON of SQL values, by their type."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.types import parse_logical_type
from table_runtime.columns.plain_types import to_plain
from table_runtime.kernels.support.json_encoding import json_encoder


def encoded(value: Any, type_: str) -> str:
    logical_type = parse_logical_type(type_)
    arrow_type = to_arrow_type(logical_type)
    numeric = isinstance(value, int) and pa.types.is_temporal(arrow_type)
    array = pa.array([value], pa.int64()).cast(arrow_type) if numeric else pa.array([value], arrow_type)
    (plain,) = to_plain(array).to_pylist()
    return json_encoder(logical_type)(plain)


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        (None, "INT", "null"),
        (True, "BOOLEAN", "true"),
        (2**63 - 1, "BIGINT", "9223372036854775807"),
        (Decimal("2.50"), "DECIMAL(5, 2)", "2.50"),
        (1e7, "DOUBLE", "1.0E+7"),
        ('a"\n', "STRING", '"a\\"\\n"'),
        (b"\x01\xff", "BYTES", '"Af8="'),
        ([1, None], "ARRAY<INT>", "[1,null]"),
        ([], "ARRAY<INT>", "[]"),
        ([("k", None), ('"', 1)], "MAP<STRING, INT>", '{"k":null,"\\"":1}'),
        ([(5, 2)], "MULTISET<INT>", '{"5":2}'),
        ({"a": 1, "b c": [None]}, "ROW<a INT, `b c` ARRAY<STRING>>", '{"a":1,"b c":[null]}'),
        ({"r": None}, "ROW<r ROW<i INT>>", '{"r":null}'),
    ],
)
def test_values(value: Any, type_: str, expected: str) -> None:
    assert encoded(value, type_) == expected


@pytest.mark.parametrize(
    ("ticks", "type_", "expected"),
    [
        (0, "TIMESTAMP(3)", "1970-01-01T00:00:00"),
        (-500_000, "TIMESTAMP(3)", "1969-12-31T23:59:59.5"),
        (123_456_789, "TIMESTAMP(9)", "1970-01-01T00:00:00.123456789"),
        (-1, "TIMESTAMP(9)", "1969-12-31T23:59:59.999999999"),
        (1_000_000, "TIMESTAMP_LTZ(3)", "1970-01-01T00:00:01Z"),
        (1, "TIMESTAMP_LTZ(9)", "1970-01-01T00:00:00.000000001Z"),
    ],
)
def test_timestamps_have_no_zeros_at_their_end(ticks: int, type_: str, expected: str) -> None:
    assert json.loads(encoded(ticks, type_)) == expected
