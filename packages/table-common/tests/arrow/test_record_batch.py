from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from table_common.arrow import conform, from_python_rows, to_arrow_schema, to_arrow_type, to_python_rows
from table_common.data import NanosecondDatetime, NanosecondTime, NanosecondTimedelta, Row
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import Period, RowType, parse_logical_type


def row_of(*types: str) -> RowType:
    return RowType.of([(f"c{i}", parse_logical_type(text)) for i, text in enumerate(types)], nullable=False)


def round_trip(type_text: str, values: Sequence[Any], **options: Any) -> list[Any]:
    row_type = row_of(type_text)
    batch = from_python_rows([(value,) for value in values], row_type)
    assert batch.schema.equals(to_arrow_schema(row_type), check_metadata=True)
    return [value for (value,) in to_python_rows([batch], row_type, **options)]


@pytest.mark.parametrize(
    ("type_text", "values"),
    [
        ("BOOLEAN", [True, False, None]),
        ("TINYINT", [-128, 127, None]),
        ("BIGINT", [-(2**63), 2**63 - 1]),
        ("FLOAT", [1.5, None]),
        ("DOUBLE", [1.5, -0.0, float("inf")]),
        ("DECIMAL(5, 2)", [Decimal("1.50"), Decimal("-999.99"), None]),
        ("DECIMAL(38, 18)", [Decimal("12345678901234567890.123456789012345678")]),
        ("STRING", ["a", "", "größe", None]),
        ("BYTES", [b"\x00\xff", b"", None]),
        ("DATE", [date(1, 1, 1), date(1969, 12, 31), date(9999, 12, 31), None]),
        ("TIME(6)", [time(0), time(23, 59, 59, 999999), None]),
        ("TIME(9)", [time(1, 2, 3, 4)]),
        ("TIMESTAMP(6)", [datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(9999, 12, 31), None]),
        ("TIMESTAMP(9)", [datetime(2020, 1, 1, 0, 0, 0, 1)]),
        ("TIMESTAMP_LTZ(6)", [datetime(2020, 1, 1, tzinfo=UTC), None]),
        ("INTERVAL DAY TO SECOND(6)", [timedelta(days=-1, microseconds=1), None]),
        ("INTERVAL SECOND(3)", [timedelta(milliseconds=-5)]),
        ("INTERVAL SECOND(9)", [timedelta(microseconds=5)]),
        ("INTERVAL YEAR TO MONTH", [Period(14), Period(-1), None]),
        ("ARRAY<INT>", [[1, None], [], None, [2]]),
        ("ARRAY<ARRAY<DATE>>", [[[date(2020, 1, 1)], None], None]),
        ("MAP<STRING, INT>", [{"a": 1, "b": None}, {}, None]),
        ("MAP<STRING, ARRAY<INT>>", [{"a": [1]}, {"b": [2, 3], "c": []}]),
        ("MAP<ARRAY<INT>, INT>", [{(1, 2): 1}]),
        ("MULTISET<STRING>", [{"a": 2, "b": 1}, None]),
        ("ROW<a INT, b STRING>", [Row(a=1, b="x"), None, Row(a=None, b=None)]),
        ("ROW<a ROW<x DATE>>", [Row(a=Row(x=date(2020, 1, 1))), Row(a=None)]),
        ("ARRAY<ROW<a INT NOT NULL>>", [[Row(a=1), None], None]),
        ("ROW<>", [Row.of_names((), ()), None]),
        ("NULL", [None, None]),
        ("RAW('a', 'b')", [b"x", None]),
        ("VARIANT", ['{"a":1}', None]),
    ],
)
def test_values_come_back_as_they_were(type_text: str, values: list[Any]) -> None:
    assert round_trip(type_text, values) == values


@pytest.mark.parametrize("type_text", ["ARRAY<INT>", "MAP<STRING, INT>", "ROW<a INT>", "ARRAY<ROW<a ARRAY<INT>>>"])
def test_slices_of_batches_convert_to_their_own_rows(type_text: str) -> None:
    samples: dict[str, list[Any]] = {
        "ARRAY<INT>": [[1], [2, 3], None, [4]],
        "MAP<STRING, INT>": [{"a": 1}, {"b": 2, "c": 3}, None, {"d": 4}],
        "ROW<a INT>": [Row(a=1), Row(a=2), None, Row(a=4)],
        "ARRAY<ROW<a ARRAY<INT>>>": [[Row(a=[1])], [Row(a=[2, 3]), None], None, [Row(a=None)]],
    }
    values = samples[type_text]
    row_type = row_of(type_text)
    batch = from_python_rows([(value,) for value in values], row_type)
    assert [v for (v,) in to_python_rows([batch.slice(1, 2)], row_type)] == values[1:3]
    assert list(to_python_rows([batch.slice(4)], row_type)) == []


def test_instants_are_shown_in_the_zone_given() -> None:
    (value,) = round_trip("TIMESTAMP_LTZ(6)", [datetime(2020, 7, 1, 12, tzinfo=UTC)], time_zone=ZoneInfo("Europe/Berlin"))
    assert value.isoformat() == "2020-07-01T14:00:00+02:00"


def test_an_instant_with_another_offset_keeps_its_moment() -> None:
    moment = datetime(2020, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert round_trip("TIMESTAMP_LTZ(6)", [moment]) == [datetime(2020, 1, 1, tzinfo=UTC)]


def test_a_datetime_without_a_zone_is_an_instant_in_the_zone_given() -> None:
    row_type = row_of("TIMESTAMP_LTZ(6)")
    batch = from_python_rows([(datetime(2020, 7, 1, 14),)], row_type, time_zone=ZoneInfo("Europe/Berlin"))
    assert list(to_python_rows([batch], row_type)) == [(datetime(2020, 7, 1, 12, tzinfo=UTC),)]


@pytest.mark.parametrize(
    ("type_text", "value", "kept"),
    [
        ("TIMESTAMP(3)", datetime(1960, 1, 1, 0, 0, 0, 123456), datetime(1960, 1, 1, 0, 0, 0, 123000)),
        ("TIMESTAMP(0)", datetime(2020, 1, 1, 0, 0, 0, 999999), datetime(2020, 1, 1)),
        ("TIME(1)", time(1, 2, 3, 456789), time(1, 2, 3, 400000)),
    ],
)
def test_fractions_beyond_the_precision_are_cut_on_the_way_in(type_text: str, value: object, kept: object) -> None:
    assert round_trip(type_text, [value]) == [kept]


def test_the_scale_of_a_decimal_is_the_types() -> None:
    (value,) = round_trip("DECIMAL(10, 4)", [Decimal("1.5")])
    assert str(value) == "1.5000"


@pytest.mark.parametrize(
    ("type_text", "number"), [("TIMESTAMP(9)", 1), ("TIME(9)", 1001), ("TIMESTAMP_LTZ(9)", -1), ("INTERVAL SECOND(9)", 1)]
)
def test_nanoseconds_are_kept_both_ways(type_text: str, number: int) -> None:
    row_type = row_of(type_text)
    array = pa.array([0, number, None], pa.int64()).cast(to_arrow_type(row_type.field_types[0]))
    batch = pa.RecordBatch.from_arrays([array], schema=to_arrow_schema(row_type))
    rows = list(to_python_rows([batch], row_type))
    assert from_python_rows(rows, row_type) == batch


@pytest.mark.parametrize(
    ("type_text", "value"),
    [
        ("TIMESTAMP(9)", datetime(2020, 1, 1)),
        ("TIMESTAMP_LTZ(9)", datetime(2020, 1, 1, tzinfo=UTC)),
        ("TIME(9)", time(1, 2, 3, 4)),
        ("INTERVAL SECOND(9)", timedelta(1)),
    ],
)
def test_values_without_nanoseconds_are_of_the_classes_of_python(type_text: str, value: object) -> None:
    (found,) = round_trip(type_text, [value])
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("type_text", "value", "kept"),
    [
        ("TIMESTAMP(8)", NanosecondDatetime(1960, 1, 1, nanosecond=789), NanosecondDatetime(1960, 1, 1, nanosecond=780)),
        ("TIMESTAMP(6)", NanosecondDatetime(1960, 1, 1, nanosecond=789), datetime(1960, 1, 1)),
        ("TIME(7)", NanosecondTime(1, nanosecond=789), NanosecondTime(1, nanosecond=700)),
        ("INTERVAL SECOND(6)", NanosecondTimedelta(nanoseconds=-1001), timedelta(microseconds=-1)),
    ],
)
def test_nanoseconds_beyond_the_precision_are_cut_on_the_way_in(type_text: str, value: object, kept: object) -> None:
    assert round_trip(type_text, [value]) == [kept]


@pytest.mark.parametrize(("type_text", "number"), [("TIMESTAMP(6)", 2**62), ("TIMESTAMP_LTZ(6)", -(2**62))])
def test_a_year_beyond_datetime_is_a_clear_error(type_text: str, number: int) -> None:
    row_type = row_of(type_text)
    array = pa.array([number], pa.int64()).cast(to_arrow_type(row_type.field_types[0]))
    with pytest.raises(TableRuntimeException, match="the years 1 to 9999"):
        list(to_python_rows([pa.RecordBatch.from_arrays([array], schema=to_arrow_schema(row_type))], row_type))


@pytest.mark.parametrize(
    ("type_text", "value", "message"),
    [
        ("INT", "x", r"In column 'c0', row 2: 'x' \(class str\) is not a value of INT: it takes int"),
        ("INT", True, "True .* is not a value of INT: it takes int"),
        ("INT", 2**31, "2147483648 .* is not a value of INT"),
        ("INT NOT NULL", None, "None .* is not a value of INT NOT NULL: it is NULL"),
        ("BOOLEAN", 1, "it takes bool"),
        ("FLOAT", 1e300, "it is too large"),
        ("DOUBLE", "1.0", "it takes float or int"),
        ("DECIMAL(5, 2)", Decimal("1.234"), "it needs more digits than 3 before and 2 after the point"),
        ("DECIMAL(5, 2)", Decimal("1000"), "it needs more digits than 3 before and 2 after the point"),
        ("DECIMAL(5, 2)", Decimal("NaN"), "is not a value of DECIMAL"),
        ("DECIMAL(5, 2)", 1.5, "it takes Decimal or int"),
        ("STRING", 5, "it takes str"),
        ("STRING", "\ud800", "surrogates not allowed"),
        ("BYTES", "x", "it takes bytes"),
        ("DATE", datetime(2020, 1, 1), "it takes date"),
        ("TIMESTAMP(6)", datetime(2020, 1, 1, tzinfo=UTC), "it has a time zone"),
        ("TIMESTAMP(9)", datetime(9999, 1, 1), "out of bounds for nanosecond"),
        ("TIME(6)", time(1, tzinfo=UTC), "it has a time zone"),
        ("INTERVAL SECOND", 5, "it takes timedelta"),
        ("INTERVAL MONTH", 1.5, "it takes Period or int"),
        ("ARRAY<INT>", [1, "x"], "row 2, an element: 'x' .* is not a value of INT"),
        ("ARRAY<INT NOT NULL>", [None], "row 2, an element: None"),
        ("ARRAY<INT>", "abc", "it takes list or tuple"),
        ("MAP<STRING, INT>", {"a": "x"}, "a key or value: 'x'"),
        ("MAP<STRING, INT>", {None: 1}, "a key or value: None"),
        ("MAP<STRING, INT>", [1], "it takes dict"),
        ("ROW<a INT, b ROW<c INT>>", Row(a=1, b=Row(c="x")), "field 'b', field 'c': 'x'"),
        ("ROW<a INT NOT NULL>", Row(a=None), "field 'a': None"),
        ("ROW<a INT>", {"z": 1}, "it has no field 'z'"),
        ("ROW<a INT>", (1, 2), "it takes 1 values"),
        ("NULL", 1, "only NULL is one"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_column_row_and_type(type_text: str, value: object, message: str) -> None:
    good = {"INT NOT NULL": 1}.get(type_text)
    with pytest.raises(ValidationException, match=message) as caught:
        from_python_rows([(good,), (value,)], row_of(type_text))
    assert "column 'c0', row 2" in str(caught.value)


def test_objects_with_attributes_are_rows() -> None:
    class Point:
        def __init__(self) -> None:
            self.a, self.b = 1, "x"

    assert round_trip("STRUCTURED<'m.Point', a INT, b STRING>", [Point()]) == [Row(a=1, b="x")]


class NumpyLike:
    """Stands for numpy's scalars and arrays, which are recognized by their module and never imported."""

    __module__ = "numpy"

    def __init__(self, value: Any) -> None:
        self.value = value

    def item(self) -> Any:
        return self.value

    def tolist(self) -> Any:
        return self.value


def test_numpy_scalars_and_arrays_are_taken() -> None:
    assert round_trip("SMALLINT", [NumpyLike(5)]) == [5]
    assert round_trip("ARRAY<DOUBLE>", [NumpyLike([1.5, 2.5])]) == [[1.5, 2.5]]


def test_rows_by_name_leave_out_nulls_and_ignore_order() -> None:
    row_type = row_of("INT", "STRING")
    batch = from_python_rows([{"c1": "x", "c0": 1}, {"c1": "y"}, Row(c1="z", c0=3), (4, "w"), Row(5, "v")], row_type)
    assert list(to_python_rows([batch], row_type)) == [(1, "x"), (None, "y"), (3, "z"), (4, "w"), (5, "v")]


@pytest.mark.parametrize(
    ("row", "message"),
    [((1,), "Row 1 has 1 values, but 2 columns are declared"), ({"c9": 1}, "Column 'c9' does not exist in row 1"), (5, "Row 1 is 5")],
)
def test_a_row_of_another_shape_is_an_error(row: Any, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        from_python_rows([row], row_of("INT", "INT"))


def test_rows_without_columns_keep_their_count() -> None:
    batch = from_python_rows([(), ()], RowType(nullable=False))
    assert (batch.num_rows, list(to_python_rows([batch], RowType()))) == (2, [(), ()])


def test_no_rows_make_an_empty_batch_of_the_schema() -> None:
    row_type = row_of("INT", "ARRAY<INT>")
    batch = from_python_rows([], row_type)
    assert batch.num_rows == 0
    assert batch.schema.equals(to_arrow_schema(row_type))


def test_conform_leaves_a_conforming_batch_as_it_is() -> None:
    row_type = row_of("INT", "ARRAY<INT>")
    batch = from_python_rows([(1, [2])], row_type)
    assert conform(batch, row_type) is batch
