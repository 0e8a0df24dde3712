from __future__ import annotations

import pickle
from typing import Any

import pytest

from table_common.data import (
    DecimalData,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    RowData,
    RowKind,
    StringData,
    TimestampData,
)
from table_common.exceptions import TableRuntimeException, ValidationException

TEXT = StringData.from_string("a")


DECIMAL = DecimalData.from_unscaled_long(5, 2, 150)


MOMENT = TimestampData.from_epoch_millis(1, 2)


def row(*values: Any) -> RowData:
    return GenericRowData.of(*values)


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
