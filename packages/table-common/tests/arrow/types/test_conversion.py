from __future__ import annotations

import array
from collections import Counter, OrderedDict
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from table_common.data import (
    ArrayData,
    DecimalData,
    IntervalData,
    MapData,
    RawValueData,
    Row,
    RowData,
    StringData,
    TimeData,
    TimestampData,
)
from table_common.exceptions import ValidationException
from table_common.types import (
    DataTypes,
    DistinctType,
    IntType,
    Period,
    SymbolType,
    default_conversion,
    parse_logical_type,
    supports_input_conversion,
    supports_output_conversion,
)
from table_common.types.conversion import CONVERSIONS


def numpy_class(name: str, *bases: type[Any]) -> type[Any]:
    """Returns a class that has the name of one of numpy's, which is not installed."""
    return type(name, bases, {"__module__": "numpy"})


@dataclass
class Point:
    x: int
    y: int = 0


class Pair(NamedTuple):
    x: int
    y: int


class Plain:
    x: int
    y: int


class Fluid:
    def __init__(self, **values: Any) -> None:
        self.values = values


class Color(Enum):
    RED = 1


BOTH: list[tuple[str, list[type[Any]]]] = [
    ("BOOLEAN", [bool, numpy_class("bool"), numpy_class("bool_")]),
    ("TINYINT", [int, numpy_class("int8"), numpy_class("int64")]),
    ("INT", [int, numpy_class("int32")]),
    ("BIGINT", [int, numpy_class("int64")]),
    ("FLOAT", [float, numpy_class("float32")]),
    ("DOUBLE", [float, numpy_class("float64", float)]),
    ("DECIMAL(5, 2)", [Decimal, DecimalData]),
    ("STRING", [str, bytes, StringData]),
    ("VARIANT", [str, StringData]),
    ("BYTES", [bytes, bytearray, memoryview]),
    ("DATE", [date, int, numpy_class("datetime64")]),
    ("TIME(3)", [time, int, TimeData]),
    ("TIMESTAMP(9)", [datetime, int, numpy_class("datetime64"), TimestampData]),
    ("TIMESTAMP_LTZ(3)", [datetime, int, numpy_class("datetime64"), TimestampData]),
    ("INTERVAL SECOND(3)", [timedelta, int, numpy_class("timedelta64"), IntervalData]),
    ("INTERVAL MONTH", [Period, int]),
    ("ARRAY<INT>", [list, tuple, numpy_class("ndarray"), pa.Array, ArrayData]),
    ("MAP<INT, INT>", [dict, MapData]),
    ("MULTISET<INT>", [dict, MapData]),
    ("ROW<x INT, y INT>", [Row, tuple, dict, RowData, Point, Pair]),
    ("STRUCTURED<'m.Point', x INT, y INT>", [Row, tuple, dict, RowData, Point, Pair]),
    ("RAW('decimal.Decimal', 's')", [bytes, RawValueData, Decimal]),
    ("NULL", [object, int]),
    ("DESCRIPTOR", [list, tuple]),
]


@pytest.mark.parametrize(("type_text", "class_"), [(text, class_) for text, classes in BOTH for class_ in classes])
def test_classes_that_are_taken_and_given(type_text: str, class_: type[Any]) -> None:
    type_ = parse_logical_type(type_text)
    assert supports_input_conversion(type_, class_)
    assert supports_output_conversion(type_, class_)


@pytest.mark.parametrize(
    ("type_text", "class_"),
    [
        ("TINYINT", numpy_class("uint64")),
        ("BIGINT", numpy_class("int8")),
        ("DOUBLE", int),
        ("DECIMAL(5, 2)", int),
        ("ARRAY<INT>", array.array),
        ("ARRAY<INT>", pa.Int32Array),
        ("MAP<INT, INT>", OrderedDict),
        ("MULTISET<INT>", Counter),
        ("ROW<x INT>", list),
        ("ROW<x INT, y INT>", Plain),
        ("TIMESTAMP(3)", type("Timestamp", (datetime,), {})),
        ("INT", type("Code", (int,), {})),
    ],
)
def test_classes_that_are_only_taken(type_text: str, class_: type[Any]) -> None:
    type_ = parse_logical_type(type_text)
    assert supports_input_conversion(type_, class_)
    assert not supports_output_conversion(type_, class_)


@pytest.mark.parametrize(
    ("type_text", "class_"),
    [
        ("INT", bool),
        ("INT", str),
        ("INT", numpy_class("float64", float)),
        ("BOOLEAN", int),
        ("DATE", datetime),
        ("TIMESTAMP(3)", date),
        ("TIME(0)", datetime),
        ("STRING", bytearray),
        ("VARIANT", bytes),
        ("ARRAY<INT>", str),
        ("ROW<z INT>", Point),
        ("ROW<x INT>", Fluid),
        ("ROW<x INT>", str),
        ("RAW('a.B', 's')", Decimal),
        ("TIMESTAMP(3) WITH TIME ZONE", int),
    ],
)
def test_classes_that_are_neither_taken_nor_given(type_text: str, class_: type[Any]) -> None:
    type_ = parse_logical_type(type_text)
    assert not supports_input_conversion(type_, class_)
    assert not supports_output_conversion(type_, class_)


def test_a_class_of_rows_is_given_only_if_it_can_be_called_with_the_fields() -> None:
    # The default of y makes it optional.
    assert supports_output_conversion(parse_logical_type("ROW<x INT>"), Point)
    assert not supports_output_conversion(parse_logical_type("ROW<y INT>"), Point)


def test_the_class_that_a_structured_type_names_is_taken() -> None:
    type_ = DataTypes.STRUCTURED(Plain, DataTypes.FIELD("hidden", "INT")).logical_type
    assert supports_input_conversion(type_, Plain)


def test_a_distinct_type_has_the_classes_of_its_source() -> None:
    type_ = DistinctType("c.d.Money", IntType())
    assert (default_conversion(type_), supports_input_conversion(type_, str), supports_output_conversion(type_, int)) == (int, False, True)


def test_symbols_are_enums() -> None:
    assert supports_input_conversion(SymbolType(), Color)
    assert not supports_output_conversion(SymbolType(), int)


@pytest.mark.parametrize(
    ("type_text", "class_"),
    [
        ("INT", int),
        ("STRING", str),
        ("DECIMAL(5, 2)", Decimal),
        ("TIMESTAMP_LTZ(3)", datetime),
        ("INTERVAL YEAR", Period),
        ("MULTISET<INT>", dict),
        ("ROW<a INT>", Row),
        ("STRUCTURED<'c', a INT>", Row),
        ("RAW('c', 's')", bytes),
        ("NULL", object),
    ],
)
def test_the_default_class(type_text: str, class_: type[Any]) -> None:
    assert default_conversion(parse_logical_type(type_text)) is class_


def test_every_name_of_ours_in_the_table_is_a_class() -> None:
    import importlib

    names = {name for conversions in CONVERSIONS.values() for name in conversions.inputs if not name.startswith("numpy.")}
    for name in names:
        module, _, class_ = name.rpartition(".")
        assert isinstance(getattr(importlib.import_module(module), class_), type)


def test_bridged_to_accepts_a_class_of_the_table() -> None:
    assert DataTypes.TIMESTAMP(3).bridged_to(int).conversion_class is int


def test_bridged_to_refuses_other_classes_and_lists_those_accepted() -> None:
    with pytest.raises(
        ValidationException, match=r"Values of DATE cannot be .* the class 'builtins\.str'\. Accepted: datetime\.date, int,"
    ):
        DataTypes.DATE().bridged_to(str)


def test_bridged_to_a_class_without_the_fields_has_a_hint() -> None:
    with pytest.raises(ValidationException, match="hint: Classes of rows need every field of the type"):
        DataTypes.ROW([DataTypes.FIELD("z", "INT")]).bridged_to(Point)
