from __future__ import annotations

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
    RowKind,
    StringData,
    TimeData,
    TimestampData,
)
from table_common.exceptions import TableRuntimeException

TEXT = StringData.from_string("a")
DECIMAL = DecimalData.from_unscaled_long(5, 2, 150)
MOMENT = TimestampData.from_epoch_millis(1, 2)


def row(*values: Any) -> RowData:
    return GenericRowData.of(*values)


def test_get_arity() -> None:
    assert (row(1, None).get_arity(), row(1, None).arity) == (2, 2)


def test_get_row_kind() -> None:
    assert row(1).get_row_kind() is RowKind.INSERT


def test_set_row_kind() -> None:
    value = row(1)
    value.set_row_kind(RowKind.DELETE)
    assert value.get_row_kind() is RowKind.DELETE


def test_is_null_at() -> None:
    assert [row(1, None).is_null_at(i) for i in range(2)] == [False, True]


def test_get_boolean() -> None:
    assert row(True).get_boolean(0) is True


def test_get_byte() -> None:
    assert row(-128).get_byte(0) == -128


def test_get_short() -> None:
    assert row(-(2**15)).get_short(0) == -(2**15)


def test_get_int() -> None:
    assert row(2**31 - 1).get_int(0) == 2**31 - 1


def test_get_long() -> None:
    assert row(2**63 - 1).get_long(0) == 2**63 - 1


def test_get_float() -> None:
    assert row(1.5).get_float(0) == 1.5


def test_get_double() -> None:
    assert row(0.1).get_double(0) == 0.1


def test_get_string() -> None:
    assert row(TEXT).get_string(0) is TEXT


def test_get_decimal() -> None:
    assert row(DECIMAL).get_decimal(0, 5, 2) is DECIMAL


def test_get_timestamp() -> None:
    assert row(MOMENT).get_timestamp(0, 9) is MOMENT


def test_get_time() -> None:
    values = row(5, TimeData.from_nanos(5))
    assert (values.get_time(0, 3), values.get_time(1, 9)) == (TimeData.from_millis(5), TimeData.from_nanos(5))


def test_get_interval() -> None:
    values = row(-5, IntervalData.from_nanos(-5))
    assert (values.get_interval(0, 3), values.get_interval(1, 9)) == (IntervalData.from_millis(-5), IntervalData.from_nanos(-5))


def test_get_raw_value() -> None:
    value: RawValueData[object] = RawValueData.from_bytes(b"x")
    assert row(value).get_raw_value(0) is value


def test_get_binary() -> None:
    assert row(b"\0").get_binary(0) == b"\0"


def test_get_array() -> None:
    assert row(GenericArrayData([1])).get_array(0).get_int(0) == 1


def test_get_map() -> None:
    assert row(GenericMapData({1: None})).get_map(0).key_array().get_int(0) == 1


def test_get_row() -> None:
    assert row(row(1, 2)).get_row(0, 2).get_int(1) == 2


def test_get_row_with_another_number_of_fields_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="has 2 fields, not 3"):
        row(row(1, 2)).get_row(0, 3)


# GenericRowData
