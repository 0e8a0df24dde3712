from __future__ import annotations

import pickle
from typing import Any

import pytest

from table_common.data import (
    DecimalData,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    IntervalData,
    RawValueData,
    RowData,
    StringData,
    TimeData,
    TimestampData,
)
from table_common.exceptions import ValidationException
from table_common.types import IntType, NullType, parse_logical_type

TEXT = StringData.from_string("a")


DECIMAL = DecimalData.from_unscaled_long(5, 2, 150)


MOMENT = TimestampData.from_epoch_millis(1, 2)


def row(*values: Any) -> RowData:
    return GenericRowData.of(*values)


@pytest.mark.parametrize(
    ("type_text", "value"),
    [
        ("BOOLEAN", True),
        ("TINYINT", 1),
        ("SMALLINT", 1),
        ("INT", 1),
        ("BIGINT", 1),
        ("FLOAT", 1.5),
        ("DOUBLE", 1.5),
        ("CHAR(1)", TEXT),
        ("STRING", TEXT),
        ("VARIANT", TEXT),
        ("DECIMAL(5, 2)", DECIMAL),
        ("BYTES", b"x"),
        ("BITMAP", b"x"),
        ("DATE", 1),
        ("TIME(3)", 1),
        ("TIME(4)", TimeData.from_nanos(1)),
        ("TIMESTAMP(9)", MOMENT),
        ("TIMESTAMP_LTZ(9)", MOMENT),
        ("INTERVAL MONTH", 1),
        ("INTERVAL SECOND(3)", 1),
        ("INTERVAL SECOND(4)", IntervalData.from_nanos(1)),
        ("INTERVAL DAY", IntervalData.from_nanos(1)),
        ("RAW('c', 's')", RawValueData.from_bytes(b"x")),
        ("ARRAY<INT>", GenericArrayData([1])),
        ("MAP<INT, INT>", GenericMapData({1: 1})),
        ("MULTISET<INT>", GenericMapData({1: 1})),
        ("ROW<a INT, b INT>", GenericRowData.of(1, 2)),
        ("STRUCTURED<'c', a INT>", GenericRowData.of(1)),
    ],
)
def test_create_field_getter(type_text: str, value: object) -> None:
    getter = pickle.loads(pickle.dumps(RowData.create_field_getter(parse_logical_type(type_text), 1)))
    assert (getter(row(None, value)), getter(row(None, None))) == (value, None)


def test_a_field_getter_returns_none_for_null() -> None:
    assert RowData.create_field_getter(NullType(), 0)(row(None)) is None


@pytest.mark.parametrize("type_text", ["DESCRIPTOR", "TIMESTAMP(3) WITH TIME ZONE"])
def test_create_field_getter_refuses_types_without_values(type_text: str) -> None:
    with pytest.raises(ValidationException, match="Rows hold no values of the type"):
        RowData.create_field_getter(parse_logical_type(type_text), 0)


def test_an_array_in_a_row_is_read_by_the_getter_of_its_element() -> None:
    element = GenericArrayData([]).create_element_getter(IntType())
    assert [element(GenericArrayData([1, None]), i) for i in range(2)] == [1, None]
