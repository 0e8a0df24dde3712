from __future__ import annotations

from array import array

import pytest

from table_common.arrow.from_internal import build_internal, field_columns
from table_common.data import GenericArrayData, GenericMapData, GenericRowData, StringData, TimestampData
from table_common.exceptions import ValidationException
from table_common.types import IntType, VarCharType, parse_logical_type


@pytest.mark.parametrize(
    ("values", "sql", "expected"),
    [
        ([1, None], "INT", [1, None]),
        ([StringData.from_string("ä")], "STRING", ["ä"]),
        ([GenericArrayData([1, None]), None], "ARRAY<INT>", [[1, None], None]),
        ([GenericArrayData(array("i", [1, 2]))], "ARRAY<INT>", [[1, 2]]),
        ([GenericMapData({StringData.from_string("k"): 1})], "MAP<STRING, INT>", [[("k", 1)]]),
        ([GenericRowData.of(1), None], "ROW<a INT NOT NULL>", [{"a": 1}, None]),
    ],
)
def test_internal_structures_become_an_array(values: list[object], sql: str, expected: list[object]) -> None:
    assert build_internal(values, parse_logical_type(sql), "c").to_pylist() == expected


@pytest.mark.parametrize(
    ("values", "sql", "message"),
    [
        (["text"], "STRING", "its internal structure is StringData"),
        ([1, None], "INT NOT NULL", "row 2"),
        ([GenericRowData.of(1, 2)], "ROW<a INT>", "it takes 1 values, but has 2"),
        ([86_400_000], "TIME(3)", "it is not within a day"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_row(values: list[object], sql: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        build_internal(values, parse_logical_type(sql), "c")


def test_a_timestamp_before_1970_keeps_its_microseconds() -> None:
    array_ = build_internal([TimestampData.from_epoch_millis(-1, 1_000)], parse_logical_type("TIMESTAMP(6)"), "c")
    assert array_.cast("int64").to_pylist() == [-999]


def test_the_fields_of_a_null_row_are_null() -> None:
    rows = [GenericRowData.of(1, StringData.from_string("a")), None]
    assert field_columns(rows, [IntType(), VarCharType()]) == [[1, None], [StringData.from_string("a"), None]]
