from __future__ import annotations

import pickle
from array import array
from typing import Any

import pytest

from table_common.data import (
    ArrayData,
    DecimalData,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    IntervalData,
    RawValueData,
    StringData,
    TimeData,
    TimestampData,
)
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import IntType, parse_logical_type

BOOLEANS = memoryview(b"\x01\x00").cast("?")


def of(*elements: Any) -> ArrayData:
    return GenericArrayData(elements)


def test_size() -> None:
    assert (of(1, None).size(), len(of())) == (2, 0)


def test_is_null_at() -> None:
    assert [of(1, None).is_null_at(i) for i in range(2)] == [False, True]


def test_get_boolean() -> None:
    assert of(True).get_boolean(0) is True


def test_get_byte() -> None:
    assert of(-128).get_byte(0) == -128


def test_get_short() -> None:
    assert of(300).get_short(0) == 300


def test_get_int() -> None:
    assert of(2**20).get_int(0) == 2**20


def test_get_long() -> None:
    assert of(2**40).get_long(0) == 2**40


def test_get_float() -> None:
    assert of(1.5).get_float(0) == 1.5


def test_get_double() -> None:
    assert of(0.1).get_double(0) == 0.1


def test_get_string() -> None:
    assert str(of(StringData.from_string("a")).get_string(0)) == "a"


def test_get_decimal() -> None:
    assert str(of(DecimalData.zero(5, 2)).get_decimal(0, 5, 2)) == "0.00"


def test_get_timestamp() -> None:
    assert of(TimestampData.from_epoch_millis(1)).get_timestamp(0, 3).get_millisecond() == 1


def test_get_time() -> None:
    assert of(TimeData.from_nanos(1)).get_time(0, 9).to_nanos() == 1


def test_get_interval() -> None:
    assert of(IntervalData.from_nanos(1)).get_interval(0, 9).to_nanos() == 1


def test_get_generic() -> None:
    value: RawValueData[object] = RawValueData.from_bytes(b"x")
    assert (of(value).get_generic(0), of(value).get_raw_value(0)) == (value, value)


def test_get_binary() -> None:
    assert of(b"x").get_binary(0) == b"x"


def test_get_array() -> None:
    assert of(of(1)).get_array(0).get_int(0) == 1


def test_get_map() -> None:
    assert of(GenericMapData({1: 2})).get_map(0).size() == 1


def test_get_row() -> None:
    assert of(GenericRowData.of(1)).get_row(0, 1).get_int(0) == 1


def test_create_element_getter() -> None:
    getter = pickle.loads(pickle.dumps(ArrayData.create_element_getter(IntType())))
    assert [getter(of(1, None), i) for i in range(2)] == [1, None]


def test_create_element_getter_refuses_types_without_values() -> None:
    with pytest.raises(ValidationException, match="Rows hold no values"):
        ArrayData.create_element_getter(parse_logical_type("DESCRIPTOR"))


# GenericArrayData


def test_constructor_of_objects() -> None:
    assert GenericArrayData([1, None]).to_object_array() == [1, None]


def test_constructor_refuses_what_is_no_internal_structure() -> None:
    with pytest.raises(ValidationException, match="Element 1 of a GenericArrayData takes internal structures"):
        GenericArrayData([None, "a"])


def test_constructor_refuses_what_is_no_array() -> None:
    with pytest.raises(ValidationException, match="takes a list, a tuple or a primitive array, but got an object of class set"):
        GenericArrayData({1})


@pytest.mark.parametrize("data", [array("I", [1]), array("Q", [1]), memoryview(b"abcd").cast("B", (2, 2))])
def test_constructor_refuses_unsigned_numbers_and_several_dimensions(data: object) -> None:
    with pytest.raises(ValidationException, match="A primitive array has one dimension of signed integers"):
        GenericArrayData(data)


def test_constructor_of_an_int_array() -> None:
    assert GenericArrayData(array("i", [1, -2])).get_int(1) == -2


def test_constructor_of_a_long_array() -> None:
    assert GenericArrayData(array("q", [2**40])).get_long(0) == 2**40


def test_constructor_of_a_float_array() -> None:
    assert GenericArrayData(array("f", [1.5])).get_float(0) == 1.5


def test_constructor_of_a_double_array() -> None:
    assert GenericArrayData(array("d", [0.1])).get_double(0) == 0.1


def test_constructor_of_a_short_array() -> None:
    assert GenericArrayData(array("h", [-300])).get_short(0) == -300


@pytest.mark.parametrize("data", [array("b", [-1]), b"\xff", bytearray(b"\xff")])
def test_constructor_of_a_byte_array(data: object) -> None:
    assert GenericArrayData(data).get_byte(0) == -1


def test_constructor_of_a_boolean_array() -> None:
    assert GenericArrayData(BOOLEANS).get_boolean(0) is True


def test_is_primitive_array() -> None:
    assert (GenericArrayData(array("i")).is_primitive_array(), GenericArrayData([1]).is_primitive_array()) == (True, False)


def test_to_object_array() -> None:
    assert GenericArrayData(array("h", [1, 2])).to_object_array() == [1, 2]


def test_to_boolean_array() -> None:
    assert (of(True, False).to_boolean_array(), GenericArrayData(BOOLEANS).to_boolean_array()) == ([True, False], [True, False])


def test_to_byte_array() -> None:
    assert (of(1).to_byte_array(), GenericArrayData(b"\xff").to_byte_array()) == (array("b", [1]), array("b", [-1]))


def test_to_short_array() -> None:
    assert (of(300).to_short_array(), GenericArrayData(array("h", [3])).to_short_array()) == (array("h", [300]), array("h", [3]))


def test_to_int_array() -> None:
    assert (of(1).to_int_array(), GenericArrayData(array("i", [3])).to_int_array()) == (array("i", [1]), array("i", [3]))


def test_to_long_array() -> None:
    assert of(2**40).to_long_array() == array("q", [2**40])
    assert GenericArrayData(array("l", [3])).to_long_array() == array("q", [3])


def test_to_float_array() -> None:
    assert of(1.5).to_float_array() == array("f", [1.5])


def test_to_double_array() -> None:
    assert of(0.1).to_double_array() == array("d", [0.1])


def test_to_int_array_refuses_null() -> None:
    with pytest.raises(TableRuntimeException, match="position 1 is NULL"):
        of(1, None).to_int_array()


def test_to_byte_array_refuses_numbers_that_do_not_fit() -> None:
    with pytest.raises(TableRuntimeException, match="does not fit"):
        of(300).to_byte_array()


def test_primitive_view_of_objects_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="holds objects"):
        GenericArrayData([1]).primitive_view()


def test_primitive_arrays_share_memory() -> None:
    numbers = array("i", [1])
    value = GenericArrayData(numbers)
    numbers[0] = 2
    assert value.get_int(0) == 2


def test_arrays_are_equal_by_elements_primitive_or_not() -> None:
    primitive = GenericArrayData(array("i", [1, 2]))
    assert primitive == of(1, 2)
    assert hash(primitive) == hash(of(1, 2))
    assert primitive != of(1, 3)


def test_repr_shows_the_elements() -> None:
    assert repr(GenericArrayData(array("i", [1, 2]))) == "GenericArrayData([1, 2])"


@pytest.mark.parametrize("value", [GenericArrayData([1, None]), GenericArrayData(array("d", [0.5])), GenericArrayData(BOOLEANS)])
def test_arrays_survive_pickling(value: GenericArrayData) -> None:
    copy = pickle.loads(pickle.dumps(value))
    assert (copy, copy.is_primitive_array()) == (value, value.is_primitive_array())
