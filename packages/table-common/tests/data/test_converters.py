from __future__ import annotations

import pickle
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from table_common.data import (
    DataStructureConverter,
    DecimalData,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    IntervalData,
    PickleSerializer,
    RawValueData,
    Row,
    RuntimeConverter,
    StringData,
    TimeData,
    TimestampData,
)
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import DataType, DataTypes, Period, parse_logical_type


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
    ("type_text", "external", "internal"),
    [
        ("BOOLEAN", True, True),
        ("TINYINT", -128, -128),
        ("FLOAT", 1.5, 1.5),
        ("DOUBLE", float("inf"), float("inf")),
        ("DECIMAL(5, 2)", Decimal("1.50"), decimal("1.5", 5, 2)),
        ("STRING", "größe", text("größe")),
        ("VARIANT", '{"a":1}', text('{"a":1}')),
        ("BYTES", b"\0", b"\0"),
        ("DATE", date(1969, 12, 31), -1),
        ("TIME(3)", time(0, 0, 1, 5000), 1005),
        ("TIME(6)", time(0, 0, 1, 5), TimeData.from_nanos(1_000_005_000)),
        ("TIMESTAMP(6)", datetime(1970, 1, 1, 0, 0, 0, 1), TimestampData.from_epoch_millis(0, 1000)),
        ("TIMESTAMP_LTZ(6)", datetime(1970, 1, 1, tzinfo=UTC), TimestampData.from_epoch_millis(0)),
        ("INTERVAL SECOND(3)", timedelta(milliseconds=-5), -5),
        ("INTERVAL SECOND(6)", timedelta(microseconds=-5), IntervalData.from_nanos(-5000)),
        ("INTERVAL MONTH", Period(-13), -13),
        ("ARRAY<STRING>", ["a", None], GenericArrayData([text("a"), None])),
        ("MAP<STRING, INT>", {"a": 1, "b": None}, GenericMapData({text("a"): 1, text("b"): None})),
        ("MAP<ARRAY<INT>, INT>", {(1, 2): 3}, GenericMapData({GenericArrayData([1, 2]): 3})),
        ("MULTISET<STRING>", {"a": 2}, GenericMapData({text("a"): 2})),
        ("ROW<a INT, b STRING>", Row(a=1, b="x"), GenericRowData.of(1, text("x"))),
        ("ROW<>", Row.of_names((), ()), GenericRowData.of()),
        ("RAW('c', 's')", b"x", RawValueData.from_bytes(b"x")),
        ("BITMAP", b"x", b"x"),
        ("NULL", None, None),
        ("INT", None, None),
        ("ROW<a INT>", None, None),
    ],
)
def test_the_default_class_comes_back(type_text: str, external: object, internal: object) -> None:
    convert = converter(type_text)
    assert convert.to_internal(external) == internal
    assert convert.to_external(internal) == external


def test_objects_of_a_raw_type_travel_with_the_serializer_that_the_program_gave() -> None:
    convert = converter("RAW('fractions.Fraction', 's')", Fraction, serializers={"fractions.Fraction": PickleSerializer(Fraction)})
    as_bytes = converter("RAW('fractions.Fraction', 's')", serializers={"fractions.Fraction": PickleSerializer(Fraction)})
    internal = convert.to_internal(Fraction(1, 2))
    assert convert.to_external(RawValueData.from_bytes(as_bytes.to_external(internal))) == Fraction(1, 2)


def test_no_serializer_is_ever_made_from_the_text_of_a_type() -> None:
    data = PickleSerializer(Fraction).serialize(Fraction(1, 2))
    convert = converter("RAW('fractions.Fraction', 'table_common.data.serializer.PickleSerializer')", Fraction)
    with pytest.raises(ValidationException, match=r"no serializer is known for the class 'fractions\.Fraction'"):
        convert.to_external(convert.to_internal(data))


def test_a_converter_is_pickled_before_and_after_it_is_opened() -> None:
    unopened = DataStructureConverter(DataTypes.of("ROW<a INT>").bridged_to(tuple), time_zone=ZoneInfo("Europe/Berlin"))
    opened = pickle.loads(pickle.dumps(unopened))
    opened.open(RuntimeConverter.Context.empty())
    again = pickle.loads(pickle.dumps(opened))
    again.open(RuntimeConverter.Context.empty())
    assert again.to_external(opened.to_internal((1,))) == (1,)


@pytest.mark.parametrize("method", ["to_internal", "to_external"])
def test_a_converter_has_to_be_opened(method: str) -> None:
    with pytest.raises(TableRuntimeException, match="was not opened"):
        getattr(DataStructureConverter(DataTypes.INT()), method)(1)


@pytest.mark.parametrize("type_text", ["TIMESTAMP(3) WITH TIME ZONE", "DESCRIPTOR"])
def test_a_type_without_values_is_refused_when_the_converter_is_opened(type_text: str) -> None:
    with pytest.raises(ValidationException, match="Rows hold no values of the type"):
        converter(type_text)
