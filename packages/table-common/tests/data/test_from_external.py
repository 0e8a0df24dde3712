from __future__ import annotations

import array
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest

from table_common.data import (
    DataStructureConverter,
    Row,
    RowKind,
    RuntimeConverter,
)
from table_common.exceptions import ValidationException
from table_common.types import DataType, parse_logical_type


def converter(type_text: str, class_: type[Any] | None = None, **options: Any) -> DataStructureConverter:
    data_type = DataType(parse_logical_type(type_text))
    result = DataStructureConverter(data_type if class_ is None else data_type.bridged_to(class_), **options)
    result.open(RuntimeConverter.Context.empty())
    return result


def test_numbers_of_the_elements_own_format_are_taken_over_without_objects() -> None:
    result = converter("ARRAY<INT>").to_internal(array.array("i", [1, 2]))
    assert result.is_primitive_array()


@pytest.mark.parametrize(
    ("type_text", "external", "internal"),
    [
        ("TIMESTAMP(3)", datetime(1960, 1, 1, 0, 0, 0, 123456), datetime(1960, 1, 1, 0, 0, 0, 123000)),
        ("TIMESTAMP(0)", datetime(1960, 1, 1, 0, 0, 0, 999999), datetime(1960, 1, 1)),
        ("TIMESTAMP(5)", datetime(2020, 1, 1, 0, 0, 0, 123456), datetime(2020, 1, 1, 0, 0, 0, 123450)),
        ("TIME(1)", time(1, 2, 3, 456789), time(1, 2, 3, 400000)),
        ("TIME(4)", time(1, 2, 3, 456789), time(1, 2, 3, 456700)),
        ("INTERVAL SECOND(3)", timedelta(microseconds=-1500), timedelta(microseconds=-1000)),
    ],
)
def test_fractions_beyond_the_precision_are_cut_on_the_way_in(type_text: str, external: object, internal: object) -> None:
    convert = converter(type_text)
    assert convert.to_external(convert.to_internal(external)) == internal


def test_a_row_keeps_its_kind() -> None:
    convert = converter("ROW<a INT>")
    internal = convert.to_internal(Row.of_kind(RowKind.DELETE, a=1))
    assert internal.get_row_kind() is RowKind.DELETE
    assert convert.to_external(internal) == Row.of_kind(RowKind.DELETE, a=1)


@pytest.mark.parametrize(
    ("type_text", "value", "message"),
    [
        ("INT", "x", r"^'x' \(class str\) is not a value of INT: it takes int\.$"),
        ("INT", True, "it takes int"),
        ("INT", 2**31, "it does not fit into 32 bits"),
        ("INT NOT NULL", None, "it is NULL"),
        ("BOOLEAN", 1, "it takes bool"),
        ("FLOAT", 1e300, "it is too large"),
        ("DOUBLE", 10**400, "it is too large"),
        ("DOUBLE", "1", "it takes float or int"),
        ("DECIMAL(5, 2)", Decimal("1.234"), "more digits than 3 before and 2 after the point"),
        ("DECIMAL(5, 2)", Decimal("NaN"), "more digits"),
        ("DECIMAL(5, 2)", Decimal("sNaN"), "more digits"),
        ("DECIMAL(5, 2)", Decimal("-Infinity"), "more digits"),
        ("DECIMAL(5, 2)", Decimal("1." + "0" * 200 + "1"), "more digits"),
        ("DECIMAL(5, 2)", Decimal("1E+999999"), "more digits"),
        ("DECIMAL(5, 2)", 1.5, "it takes Decimal or int"),
        ("STRING", 5, "it takes str or UTF-8 bytes"),
        ("STRING", "\ud800", "half of a surrogate pair"),
        ("STRING", b"\xff", "not UTF-8"),
        ("VARIANT", b"1", "it takes str"),
        ("BYTES", "x", "it takes bytes"),
        ("DATE", datetime(2020, 1, 1), "it takes date"),
        ("TIME(3)", time(1, tzinfo=UTC), "it has a time zone"),
        ("TIME(3)", 86_400_000, "not within a day"),
        ("TIME(3)", True, "it takes time or int"),
        ("TIMESTAMP(3)", datetime(2020, 1, 1, tzinfo=UTC), "it has a time zone; TIMESTAMP_LTZ takes such values"),
        ("TIMESTAMP(3)", "2020-01-01", "it takes datetime"),
        ("INTERVAL SECOND", "1", "it takes timedelta"),
        ("INTERVAL MONTH", 1.5, "it takes Period or int"),
        ("NULL", 1, "only NULL is one"),
        ("RAW('a.B', 's')", 5, "it takes objects of a.B and their bytes"),
    ],
)
def test_the_error_of_an_invalid_value_names_position_and_reason(type_text: str, value: object, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        converter(type_text).to_internal(value)
