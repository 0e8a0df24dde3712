from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest

from table_common.data import (
    ArrayData,
    DataStructureConverter,
    DecimalData,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    IntervalData,
    MapData,
    RawValueData,
    RowData,
    RowKind,
    RuntimeConverter,
    StringData,
    TimeData,
    TimestampData,
)
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import DataType, parse_logical_type


@dataclass
class Inner:
    moment: datetime


@dataclass
class Outer:
    id: int
    inner: Inner | None


class Pair(NamedTuple):
    a: int
    b: str


def converter(type_text: str, class_: type[Any] | None = None, **options: Any) -> DataStructureConverter:
    data_type = DataType(parse_logical_type(type_text))
    result = DataStructureConverter(data_type if class_ is None else data_type.bridged_to(class_), **options)
    result.open(RuntimeConverter.Context.empty())
    return result


def text(value: str) -> StringData:
    return StringData.from_string(value)


def decimal(value: str, precision: int, scale: int) -> DecimalData:
    result = DecimalData.from_big_decimal(Decimal(value), precision, scale)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("type_text", "class_", "external", "internal"),
    [
        ("STRING", bytes, b"a", text("a")),
        ("STRING", StringData, text("a"), text("a")),
        ("BYTES", bytearray, bytearray(b"a"), b"a"),
        ("BYTES", memoryview, memoryview(b"a"), b"a"),
        ("DECIMAL(5, 2)", DecimalData, decimal("1.5", 5, 2), decimal("1.5", 5, 2)),
        ("DATE", int, -1, -1),
        ("TIME(3)", int, 5, 5),
        ("TIME(3)", TimeData, TimeData.from_millis(5), 5),
        ("TIME(9)", int, 5, TimeData.from_nanos(5)),
        ("TIME(9)", TimeData, TimeData.from_nanos(5), TimeData.from_nanos(5)),
        ("TIMESTAMP(3)", int, -1, TimestampData.from_epoch_millis(-1)),
        ("TIMESTAMP(9)", int, -1, TimestampData.from_epoch_millis(-1, 999_999)),
        ("TIMESTAMP_LTZ(9)", TimestampData, TimestampData.from_epoch_millis(0, 1), TimestampData.from_epoch_millis(0, 1)),
        ("INTERVAL SECOND(3)", int, -5, -5),
        ("INTERVAL SECOND(3)", IntervalData, IntervalData.from_millis(-5), -5),
        ("INTERVAL SECOND(9)", int, -5, IntervalData.from_nanos(-5)),
        ("INTERVAL SECOND(9)", IntervalData, IntervalData.from_nanos(-5), IntervalData.from_nanos(-5)),
        ("INTERVAL YEAR", int, 12, 12),
        ("ARRAY<INT>", tuple, (1, None), GenericArrayData([1, None])),
        ("ARRAY<DATE>", tuple, (date(1970, 1, 2),), GenericArrayData([1])),
        ("ARRAY<INT>", ArrayData, GenericArrayData([1]), GenericArrayData([1])),
        ("MAP<INT, INT>", MapData, GenericMapData({1: 2}), GenericMapData({1: 2})),
        ("ROW<a INT, b STRING>", tuple, (1, "x"), GenericRowData.of(1, text("x"))),
        ("ROW<a INT, b STRING>", dict, {"a": 1, "b": "x"}, GenericRowData.of(1, text("x"))),
        ("ROW<a INT, b STRING>", Pair, Pair(1, "x"), GenericRowData.of(1, text("x"))),
        ("ROW<a INT>", RowData, GenericRowData.of(1), GenericRowData.of(1)),
        (
            "ROW<id INT, inner ROW<moment TIMESTAMP(6)>>",
            Outer,
            Outer(1, Inner(datetime(1970, 1, 1))),
            GenericRowData.of(1, GenericRowData.of(TimestampData.from_epoch_millis(0))),
        ),
        ("RAW('c', 's')", RawValueData, RawValueData.from_bytes(b"x"), RawValueData.from_bytes(b"x")),
    ],
)
def test_the_class_asked_for_comes_back(type_text: str, class_: type[Any], external: object, internal: object) -> None:
    convert = converter(type_text, class_)
    assert convert.to_internal(external) == internal
    result = convert.to_external(internal)
    assert result == external
    assert isinstance(result, class_)


@pytest.mark.parametrize(
    ("type_text", "value"),
    [
        ("TIMESTAMP(9)", TimestampData.from_epoch_millis(0, 1)),
        ("TIMESTAMP_LTZ(9)", TimestampData.from_epoch_millis(0, 1)),
        ("TIME(9)", TimeData.from_nanos(1)),
        ("INTERVAL SECOND(9)", IntervalData.from_nanos(1)),
    ],
)
def test_nanoseconds_are_kept_on_the_way_out_and_in(type_text: str, value: object) -> None:
    convert = converter(type_text)
    assert convert.to_internal(convert.to_external(value)) == value


def test_a_date_beyond_python_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="the years 1 to 9999"):
        converter("DATE").to_external(2**31 - 1)


def test_instants_use_the_time_zone_given() -> None:
    convert = converter("TIMESTAMP_LTZ(3)", time_zone=ZoneInfo("Europe/Berlin"))
    internal = convert.to_internal(datetime(2020, 7, 1, 14))
    assert internal.to_instant() == datetime(2020, 7, 1, 12, tzinfo=UTC)
    assert convert.to_external(internal).isoformat() == "2020-07-01T14:00:00+02:00"


@pytest.mark.parametrize("class_", [tuple, dict])
def test_a_change_is_not_given_as_a_class_that_cannot_say_so(class_: type[Any]) -> None:
    with pytest.raises(TableRuntimeException, match=f"A {class_.__name__} cannot say that the row is a change of the kind -D"):
        converter("ROW<a INT>", class_).to_external(GenericRowData.of_kind(RowKind.DELETE, 1))


def test_a_class_that_is_only_taken_is_not_given() -> None:
    convert = converter("ROW<a INT>", list)
    assert convert.to_internal([1]) == GenericRowData.of(1)
    with pytest.raises(ValidationException, match=r"taken from objects of the class 'builtins\.list', but not given as such"):
        convert.to_external(GenericRowData.of(1))
