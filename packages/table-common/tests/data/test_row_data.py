from __future__ import annotations

import pickle
from collections.abc import Callable
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
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import IntType, NullType, parse_logical_type

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


def test_create_field_getter_of_null_gives_none() -> None:
    assert RowData.create_field_getter(NullType(), 0)(row(None)) is None


@pytest.mark.parametrize("type_text", ["DESCRIPTOR", "TIMESTAMP(3) WITH TIME ZONE"])
def test_create_field_getter_refuses_types_without_values(type_text: str) -> None:
    with pytest.raises(ValidationException, match="Rows hold no values of the type"):
        RowData.create_field_getter(parse_logical_type(type_text), 0)


@pytest.mark.parametrize(
    ("get", "value", "message"),
    [
        (lambda r: r.get_int(0), None, "position 0 is NULL"),
        (lambda r: r.get_string(0), None, "position 0 is NULL"),
        (lambda r: r.get_int(0), True, "True of class bool, not int"),
        (lambda r: r.get_boolean(0), 1, "1 of class int, not bool"),
        (lambda r: r.get_string(0), b"x", "of class bytes, not StringData"),
        (lambda r: r.get_double(0), 1, "of class int, not float"),
        (lambda r: r.get_map(0), GenericArrayData([]), "not MapData"),
        (lambda r: r.get_int(1), 1, "no position 1: there are 1 values"),
        (lambda r: r.is_null_at(1), 1, "no position 1: there are 1 values"),
        (lambda r: r.get_time(1, 3), 1, "no position 1: there are 1 values"),
    ],
)
def test_a_getter_that_has_no_answer_says_why(get: Callable[[RowData], Any], value: object, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        get(row(value))


# GenericRowData


def test_generic_row_constructor() -> None:
    value = GenericRowData(2, RowKind.DELETE)
    assert (value.arity, value.is_null_at(0), value.is_null_at(1), value.get_row_kind()) == (2, True, True, RowKind.DELETE)


def test_generic_row_constructor_refuses_a_negative_number() -> None:
    with pytest.raises(ValidationException, match="0 or more fields, but got -1"):
        GenericRowData(-1)


def test_set_field() -> None:
    value = GenericRowData(2)
    value.set_field(1, TEXT)
    assert value == GenericRowData.of(None, TEXT)


def test_set_field_refuses_what_is_no_internal_structure() -> None:
    with pytest.raises(ValidationException, match=r"Field 0 of a GenericRowData takes internal structures .* but got 'a' of class str"):
        GenericRowData(1).set_field(0, "a")


def test_set_field_refuses_a_position_that_does_not_exist() -> None:
    with pytest.raises(TableRuntimeException, match="no position 1"):
        GenericRowData(1).set_field(1, 1)


def test_get_field() -> None:
    assert GenericRowData.of(None, TEXT).get_field(1) is TEXT


def test_get_field_refuses_a_position_that_does_not_exist() -> None:
    with pytest.raises(TableRuntimeException, match="no position 2"):
        GenericRowData.of(1, 2).get_field(2)


def test_of() -> None:
    assert GenericRowData.of(1, None).get_row_kind() is RowKind.INSERT


def test_of_refuses_what_is_no_internal_structure() -> None:
    with pytest.raises(ValidationException, match="Field 1 of a GenericRowData"):
        GenericRowData.of(1, [2])


def test_of_kind() -> None:
    assert GenericRowData.of_kind(RowKind.UPDATE_AFTER, 1).get_row_kind() is RowKind.UPDATE_AFTER


def test_rows_of_different_kinds_differ() -> None:
    assert GenericRowData.of(1) != GenericRowData.of_kind(RowKind.DELETE, 1)


def test_equal_rows_have_equal_hashes() -> None:
    assert hash(GenericRowData.of(TEXT, DECIMAL)) == hash(GenericRowData.of(TEXT, DECIMAL))


def test_repr_shows_kind_and_values() -> None:
    assert repr(GenericRowData.of_kind(RowKind.DELETE, 1, TEXT, None)) == "-D(1, StringData('a'), None)"


def test_rows_survive_pickling() -> None:
    value = GenericRowData.of_kind(RowKind.DELETE, 1, TEXT, DECIMAL, MOMENT, GenericArrayData([1]), GenericMapData({TEXT: None}), row(b"x"))
    assert pickle.loads(pickle.dumps(value)) == value


def test_an_array_in_a_row_is_read_by_the_getter_of_its_element() -> None:
    element = GenericArrayData([]).create_element_getter(IntType())
    assert [element(GenericArrayData([1, None]), i) for i in range(2)] == [1, None]
