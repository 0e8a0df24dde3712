"""Columns as the objects that a function takes, and its results as columns."""

from __future__ import annotations

import datetime as dt
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.data import Row
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.functions import ScalarFunction, as_user_function
from table_common.types import (
    ArrayType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    RawType,
    RowType,
    VarCharType,
    parse_logical_type,
)
from table_runtime.udf import values as module
from table_runtime.udf.values import pickle_unknown_classes_with, read_values, reader_for, write_values

RAW = RawType("test.Thing")


@dataclass(frozen=True)
class Thing:
    x: int


class Pair(NamedTuple):
    t: Any
    n: Any


@dataclass
class Holder:
    n: Any
    t: Any


def written(type_: str | LogicalType, values: list[Any]) -> list[Any]:
    logical_type = parse_logical_type(type_) if isinstance(type_, str) else type_
    column = write_values(values, logical_type, "the result of F")
    assert column.type == to_arrow_type(logical_type)
    result: list[Any] = column.to_pylist()
    return result


@pytest.mark.parametrize("more", [[], [None]])
@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("TINYINT", -128, -128),
        ("BIGINT", 2**63 - 1, 2**63 - 1),
        ("DOUBLE", 1, 1.0),
        ("DOUBLE", 0.1, 0.1),
        ("DOUBLE", Decimal("1.5"), 1.5),
        ("INT", True, 1),
        ("STRING", "x", "x"),
        ("BYTES", bytearray(b"x"), b"x"),
        ("ARRAY<INT>", (1, None), [1, None]),
        ("MULTISET<STRING>", {"a": 2}, [("a", 2)]),
        ("DECIMAL(5, 2)", Decimal("1.50"), Decimal("1.50")),
        ("TIMESTAMP_LTZ(3)", dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)),
    ],
)
def test_a_result_is_the_same_value_whether_or_not_another_one_is_null(type_: str, value: Any, expected: Any, more: list[Any]) -> None:
    assert written(type_, [value, *more]) == [expected, *more]


@pytest.mark.parametrize("more", [[], [None]])
@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("INT", 1.5),
        ("INT", "1"),
        ("INT", 2**31),
        ("TINYINT", 128),
        ("DOUBLE", "1.5"),
        ("BOOLEAN", 1),
        ("STRING", b"x"),
        ("TIMESTAMP(3)", dt.datetime(2020, 1, 1, tzinfo=dt.UTC)),
        ("ARRAY<INT>", [True]),
        ("ROW<a INT>", (True,)),
    ],
)
def test_a_result_of_another_class_is_refused_whether_or_not_another_one_is_null(type_: str, value: Any, more: list[Any]) -> None:
    with pytest.raises(ValidationException, match=r"^In the result of F, row 1.*is not a value of"):
        written(type_, [value, *more])


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("DECIMAL(5, 2)", Decimal("1.005"), Decimal("1.00")),
        ("DECIMAL(5, 2)", Decimal("1.015"), Decimal("1.02")),
        ("DECIMAL(38, 2)", Decimal("123456789012345678901234567890123456.785"), Decimal("123456789012345678901234567890123456.78")),
        ("DECIMAL(5, 0)", Decimal("-2.5"), Decimal("-2")),
        ("ARRAY<DECIMAL(5, 2)>", [Decimal("2.675"), None], [Decimal("2.68"), None]),
        (
            "ROW<d DECIMAL(5, 2), t DATE>",
            Row(Decimal("0.125"), dt.datetime(2020, 1, 1, 23)),
            {"d": Decimal("0.12"), "t": dt.date(2020, 1, 1)},
        ),
        ("MAP<DATE, DECIMAL(5, 2)>", {dt.datetime(2020, 1, 1, 5): Decimal("1.001")}, [(dt.date(2020, 1, 1), Decimal("1.00"))]),
        ("DATE", dt.datetime(1969, 12, 31, 23, 59), dt.date(1969, 12, 31)),
    ],
)
def test_decimals_are_rounded_to_the_scale_and_times_to_their_day(type_: str, value: Any, expected: Any) -> None:
    assert written(type_, [value, None]) == [expected, None]


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), Decimal("999.996"), Decimal("1e500"), "1.5"])
def test_a_decimal_that_does_not_fit_after_rounding_is_refused(value: Any) -> None:
    with pytest.raises(ValidationException, match=r"row 1.*is not a value of DECIMAL\(5, 2\)"):
        written("DECIMAL(5, 2)", [value])


def test_no_results_are_an_empty_column() -> None:
    for type_ in ("INT", "DOUBLE", "STRING", "ARRAY<TIMESTAMP_LTZ(3)>"):
        assert written(type_, []) == []


LOCAL = dt.datetime(2020, 1, 1)
INSTANT = LOCAL.replace(tzinfo=dt.UTC)
HELD = {
    "TIMESTAMP_LTZ(3)": lambda value: value,
    "ARRAY<TIMESTAMP_LTZ(3)>": lambda value: [None, value],
    "MAP<STRING, TIMESTAMP_LTZ(3)>": lambda value: {"k": value},
    "MAP<TIMESTAMP_LTZ(3), INT>": lambda value: {value: 1},
    "ROW<t TIMESTAMP_LTZ(3), n INT>": lambda value: (value, 1),
    "ROW<n INT, t TIMESTAMP_LTZ(3)>": lambda value: {"t": value, "n": 1},
    "ROW<n INT NOT NULL, t ARRAY<TIMESTAMP_LTZ(3)>>": lambda value: Row(n=1, t=[value]),
    "ROW<n ROW<t TIMESTAMP_LTZ(3), n INT>, t INT>": lambda value: Holder(n=Pair(value, 1), t=2),
}


@pytest.mark.parametrize("type_", HELD)
def test_an_instant_needs_a_time_zone_wherever_it_stands(type_: str) -> None:
    assert len(written(type_, [HELD[type_](INSTANT), None])) == 2
    with pytest.raises(
        ValidationException, match=r"^In the result of F, row 2: .* is not a value of TIMESTAMP_LTZ\(3\): it has no time zone"
    ):
        written(type_, [None, HELD[type_](LOCAL)])


def row_of(**types: LogicalType) -> RowType:
    return RowType.of(list(types.items()))


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (RAW, Thing(1), Thing(1)),
        (ArrayType(RAW), [Thing(1), None], [Thing(1), None]),
        (MapType(VarCharType(), RAW), {"k": Thing(1), "n": None}, {"k": Thing(1), "n": None}),
        (MapType(RAW, IntType()), {Thing(1): 5}, {Thing(1): 5}),
        (MultisetType(RAW), {Thing(1): 2}, {Thing(1): 2}),
        (row_of(t=RAW, n=IntType()), (Thing(1), 2), Row(t=Thing(1), n=2)),
        (row_of(t=RAW, n=IntType()), {"n": 2, "t": Thing(1)}, Row(t=Thing(1), n=2)),
        (row_of(t=RAW, n=IntType()), Row(n=2, t=Thing(1)), Row(t=Thing(1), n=2)),
        (row_of(t=RAW, n=IntType()), Row(Thing(1), 2), Row(t=Thing(1), n=2)),
        (row_of(t=RAW, n=IntType()), Pair(Thing(1), 2), Row(t=Thing(1), n=2)),
        (row_of(t=RAW, n=IntType()), Holder(2, Thing(1)), Row(t=Thing(1), n=2)),
        (row_of(t=RAW, n=IntType()), {"n": 2}, Row(t=None, n=2)),
        (ArrayType(row_of(t=ArrayType(RAW))), [{"t": [Thing(1)]}, None], [Row(t=[Thing(1)]), None]),
    ],
)
def test_an_object_of_a_class_of_the_user_comes_back_as_it_went(type_: LogicalType, value: Any, expected: Any) -> None:
    column = write_values([value, None], type_, "F")
    assert column.type == to_arrow_type(type_)
    assert read_values(column, type_, reader_for(type_, None), "F") == [expected, None]


@pytest.mark.parametrize(
    ("type_", "value"),
    [(ArrayType(RAW), "text"), (MapType(VarCharType(), RAW), [1]), (row_of(t=RAW), (1, 2)), (row_of(t=RAW), 7), (row_of(t=RAW), {"u": 1})],
)
def test_a_value_without_the_shape_of_its_type_is_refused(type_: LogicalType, value: Any) -> None:
    with pytest.raises(ValidationException, match="is not a value of"):
        write_values([value], type_, "F")


@pytest.fixture
def _no_other_pickler() -> Iterator[None]:
    before = module._dumps_by_value
    yield
    module._dumps_by_value = before


@pytest.mark.usefixtures("_no_other_pickler")
def test_an_object_that_cannot_be_pickled_by_name_is_pickled_as_the_worker_says() -> None:
    local = type("Local", (), {})()
    module._dumps_by_value = None
    with pytest.raises(TableRuntimeException, match="An object of the class Local cannot be pickled"):
        write_values([local], RAW, "F")
    pickle_unknown_classes_with(lambda value: pickle.dumps("by value"))
    assert pickle.loads(write_values([local], RAW, "F").to_pylist()[0]) == "by value"


class Takes(ScalarFunction):
    def eval(self, a: tuple[int, ...], b: bytearray, c: dict[str, int]) -> int:
        return 0


def test_values_are_of_the_classes_that_the_annotations_name() -> None:
    signature = as_user_function(Takes).signatures[0]
    found = []
    for position, value in enumerate([[1, 2], b"x", [("k", 1)]]):
        extracted = signature.parameter(position).extracted
        assert extracted is not None
        type_ = extracted.type
        assert isinstance(type_, LogicalType)
        found.append(read_values(pa.array([value, None], to_arrow_type(type_)), type_, reader_for(type_, extracted), "a")[0])
    assert found == [(1, 2), bytearray(b"x"), {"k": 1}]


def test_values_without_an_annotation_are_the_default_objects() -> None:
    type_ = parse_logical_type("ROW<a INT, t TIMESTAMP_LTZ(3)>")
    assert reader_for(type_, None) is None
    column = pa.array([{"a": 1, "t": INSTANT}, None], to_arrow_type(type_))
    assert read_values(column, type_, None, "a") == [Row(a=1, t=INSTANT), None]
