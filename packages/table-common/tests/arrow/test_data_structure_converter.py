from __future__ import annotations

import array
import pickle
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pyarrow as pa
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
    PickleSerializer,
    RawValueData,
    Row,
    RowData,
    RowKind,
    RuntimeConverter,
    StringData,
    TimeData,
    TimestampData,
)
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import DataType, DataTypes, Period, parse_logical_type


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
    ("type_text", "external", "internal"),
    [
        ("DOUBLE", 1, 1.0),
        ("FLOAT", 0.1, 0.10000000149011612),
        ("DECIMAL(5, 2)", 7, decimal("7", 5, 2)),
        ("DECIMAL(5, 2)", Decimal("0E+50"), decimal("0", 5, 2)),
        ("DECIMAL(5, 2)", Decimal("7." + "0" * 200), decimal("7", 5, 2)),
        ("DECIMAL(5, 2)", decimal("7", 10, 0), decimal("7", 5, 2)),
        ("ARRAY<INT>", (1, 2), GenericArrayData([1, 2])),
        ("ARRAY<INT>", array.array("q", [1, 2]), GenericArrayData([1, 2])),
        ("ARRAY<DATE>", pa.array([date(1970, 1, 2), None]), GenericArrayData([1, None])),
        ("ARRAY<STRING>", pa.array(["a"], pa.large_string()), GenericArrayData([text("a")])),
        ("ROW<a INT, b STRING>", [1, "x"], GenericRowData.of(1, text("x"))),
        ("ROW<a INT, b STRING>", {"b": "x"}, GenericRowData.of(None, text("x"))),
        ("ROW<a INT, b STRING>", Row("x", 1), None),
        ("ROW<moment TIMESTAMP(3)>", Inner(datetime(1970, 1, 1)), GenericRowData.of(TimestampData.from_epoch_millis(0))),
    ],
)
def test_other_classes_are_taken_too(type_text: str, external: object, internal: object) -> None:
    convert = converter(type_text)
    if internal is None:
        with pytest.raises(ValidationException, match="In field 'a'"):
            convert.to_internal(external)
    else:
        assert convert.to_internal(external) == internal


def test_numbers_of_the_elements_own_format_are_taken_over_without_objects() -> None:
    result = converter("ARRAY<INT>").to_internal(array.array("i", [1, 2]))
    assert result.is_primitive_array()


def test_an_arrow_array_is_given_where_asked_for() -> None:
    result = converter("ARRAY<TIMESTAMP(9)>", pa.Array).to_external(GenericArrayData([TimestampData.from_epoch_millis(0, 1), None]))
    assert result.equals(pa.array([1, None], pa.timestamp("ns")))


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


@pytest.mark.parametrize(
    ("type_text", "value", "message"),
    [
        ("INT", "x", r"^'x' \(class str\) is no value of INT: it takes int\.$"),
        ("INT", True, "it takes int"),
        ("INT", 2**31, "it does not fit into 32 bits"),
        ("INT NOT NULL", None, "it is NULL"),
        ("BOOLEAN", 1, "it takes bool"),
        ("FLOAT", 1e300, "it is too large"),
        ("DOUBLE", 10**400, "it is too large"),
        ("DOUBLE", "1", "it takes float or int"),
        ("DECIMAL(5, 2)", Decimal("1.234"), "more digits than 3 before and 2 behind the point"),
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
        ("ARRAY<INT>", [1, "x"], "^In element 2: 'x'"),
        ("ARRAY<INT NOT NULL>", [None], "^In element 1: None"),
        ("ARRAY<INT>", "abc", "it takes list, tuple"),
        ("ARRAY<INT>", pa.array(["x"]), "The array is declared as INT, but its data has the Arrow type string"),
        ("MAP<STRING, INT>", {"a": "x"}, "^In the value of key 'a': 'x'"),
        ("MAP<STRING, INT>", {None: 1}, "^In a key: None"),
        ("MAP<STRING, INT>", [1], "it takes dict"),
        ("ROW<a INT, b ROW<c ARRAY<INT>>>", (1, ([1, "x"],)), "^In field 'b', field 'c', element 2: 'x'"),
        ("ROW<a INT>", {"z": 1}, "it has no field 'z'"),
        ("ROW<a INT>", (1, 2), "it takes 1 values, but got 2"),
        ("ROW<a INT>", GenericRowData.of(1, 2), "it takes 1 values"),
        ("ROW<a INT>", 5, "it takes Row, tuple, dict or an object with the fields as attributes"),
        ("NULL", 1, "only NULL is one"),
        ("RAW('a.B', 's')", 5, "it takes objects of a.B and their bytes"),
    ],
)
def test_a_value_that_does_not_fit_says_where_and_why(type_text: str, value: object, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        converter(type_text).to_internal(value)


def test_a_row_keeps_its_kind() -> None:
    convert = converter("ROW<a INT>")
    internal = convert.to_internal(Row.of_kind(RowKind.DELETE, a=1))
    assert internal.get_row_kind() is RowKind.DELETE
    assert convert.to_external(internal) == Row.of_kind(RowKind.DELETE, a=1)


@pytest.mark.parametrize("class_", [tuple, dict])
def test_a_change_is_not_given_as_a_class_that_cannot_say_so(class_: type[Any]) -> None:
    with pytest.raises(TableRuntimeException, match=f"A {class_.__name__} cannot say that the row is a change of the kind -D"):
        converter("ROW<a INT>", class_).to_external(GenericRowData.of_kind(RowKind.DELETE, 1))


def test_a_class_that_is_only_taken_is_not_given() -> None:
    convert = converter("ROW<a INT>", list)
    assert convert.to_internal([1]) == GenericRowData.of(1)
    with pytest.raises(ValidationException, match=r"taken from objects of the class 'builtins\.list', but not given as such"):
        convert.to_external(GenericRowData.of(1))


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
