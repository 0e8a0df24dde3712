"""Rows as schemas of Avro, and values of Avro as values of columns and back."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.avro.schema import (
    Scaled,
    avro_schema,
    encoder_of,
    reader_of,
    record_schema,
    resolved_schema,
    without_logical_types,
)


def logical(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("CHAR(3) NOT NULL", "string"),
        ("TINYINT", ["null", "int"]),
        ("BINARY(2) NOT NULL", "bytes"),
        ("DECIMAL(5, 2) NOT NULL", logical("bytes", "decimal", precision=5, scale=2)),
        ("TIME(6) NOT NULL", logical("long", "time-micros")),
        ("TIME(0) NOT NULL", logical("int", "time-millis")),
        ("TIMESTAMP(0) NOT NULL", logical("long", "timestamp-millis")),
        ("TIMESTAMP_LTZ(6) NOT NULL", logical("long", "timestamp-micros")),
        ("ARRAY<INT NOT NULL> NOT NULL", {"type": "array", "items": "int"}),
        ("MAP<STRING, DATE> NOT NULL", {"type": "map", "values": ["null", logical("int", "date")]}),
        ("MULTISET<STRING> NOT NULL", {"type": "map", "values": "int"}),
    ],
)
def test_a_type_has_a_schema_and_one_that_may_be_null_is_a_union(type_: str, expected: Any) -> None:
    assert avro_schema(parse_logical_type(type_), legacy_timestamps=True, name="n") == expected


def test_local_timestamps_are_told_from_instants_if_the_option_says_so() -> None:
    types = [parse_logical_type(text) for text in ("TIMESTAMP(6) NOT NULL", "TIMESTAMP_LTZ(6) NOT NULL")]
    found = [avro_schema(type_, legacy_timestamps=False, name="n")["logicalType"] for type_ in types]
    assert found == ["local-timestamp-micros", "timestamp-micros"]


def test_records_inside_of_records_have_names_of_their_own() -> None:
    row_type = RowType.of([("r", parse_logical_type("ROW<x INT>")), ("s", parse_logical_type("ROW<x INT> NOT NULL"))])
    schema = record_schema(row_type)
    assert [schema["name"], schema["fields"][0]["type"][1]["name"], schema["fields"][1]["type"]["name"]] == [
        "record",
        "record_r",
        "record_s",
    ]
    assert "default" in schema["fields"][0]
    assert "default" not in schema["fields"][1]


@pytest.mark.parametrize("type_", ["TIMESTAMP(9)", "TIME(9)", "MAP<INT, INT>", "MULTISET<INT>", "ARRAY<INTERVAL DAY TO SECOND(3)>"])
def test_a_type_without_a_schema_is_refused(type_: str) -> None:
    with pytest.raises(TableException, match="The format 'avro' does not support values of the type"):
        record_schema(RowType.of([("a", parse_logical_type(type_))]))


def test_logical_types_are_removed_at_every_depth() -> None:
    schema = {"type": "record", "fields": [{"name": "logicalType", "type": ["null", logical("int", "date")]}]}
    assert without_logical_types(schema) == {"type": "record", "fields": [{"name": "logicalType", "type": ["null", {"type": "int"}]}]}


def test_a_name_and_a_wrapped_schema_stand_for_the_schema() -> None:
    inner = {"type": "enum", "name": "e", "symbols": ["A"]}
    assert resolved_schema("e", {"e": inner}) is inner
    assert resolved_schema({"type": {"type": ["null", "int"]}}, {}) == ["null", "int"]
    assert resolved_schema("int", {}) == "int"


def read(schema: Any, type_: str, value: Any) -> Any:
    """Returns the value of a column of what was written."""
    logical_type = parse_logical_type(type_)
    convert = reader_of(schema, logical_type, {}, "column 'a'")
    return pa.array([value if convert is None else convert(value)], to_arrow_type(logical_type)).to_pylist()[0]


@pytest.mark.parametrize(
    ("schema", "type_", "value", "expected"),
    [
        ("int", "BIGINT", 5, 5),
        ("long", "INT", -5, -5),
        ("long", "DOUBLE", 5, 5.0),
        ("float", "DOUBLE", 0.5, 0.5),
        (["null", "long"], "BIGINT", None, None),
        (["int", "long"], "BIGINT", 7, 7),
        (logical("int", "date"), "DATE", -1, date(1969, 12, 31)),
        (logical("int", "time-millis"), "TIME(3)", 1, time(0, 0, 0, 1000)),
        (logical("long", "timestamp-millis"), "TIMESTAMP(3)", -1, datetime(1969, 12, 31, 23, 59, 59, 999_000)),
        (logical("long", "local-timestamp-nanos"), "TIMESTAMP(6)", -1, datetime(1969, 12, 31, 23, 59, 59, 999_999)),
        (logical("long", "timestamp-micros"), "TIMESTAMP_LTZ(6)", 1, datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC)),
        (logical("long", "timestamp-micros"), "TIMESTAMP(3)", -1, datetime(1969, 12, 31, 23, 59, 59, 999_000)),
        (logical("long", "timestamp-millis"), "TIMESTAMP(1)", 1_999, datetime(1970, 1, 1, 0, 0, 1, 900_000)),
        (logical("long", "time-micros"), "TIME(0)", 1_999_999, time(0, 0, 1)),
        (logical("bytes", "decimal", precision=5, scale=3), "DECIMAL(5, 1)", (-1250).to_bytes(2, "big", signed=True), Decimal("-1.3")),
        (logical("bytes", "decimal", precision=5), "DECIMAL(5, 1)", b"\x07", Decimal("7.0")),
        ({"type": "map", "values": ["null", logical("int", "date")]}, "MAP<STRING, DATE>", {"k": 0, "n": None}, [("k", date(1970, 1, 1)), ("n", None)]),
        ({"type": "array", "items": {"type": "record", "name": "r", "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "int"}]}},
         "ARRAY<ROW<y INT, z INT>>", [{"x": 1, "y": 2}], [{"y": 2, "z": None}]),
        ({"type": "enum", "name": "e", "symbols": ["A"]}, "STRING", "A", "A"),
        (logical("string", "uuid"), "STRING", "u", "u"),
        (logical("int", "some-plugin"), "BIGINT", 5, 5),
        (logical("long", "epoch-days"), "BIGINT", 5, 5),
    ],
)  # fmt: skip
def test_a_value_is_read_as_the_type_of_its_column(schema: Any, type_: str, value: Any, expected: Any) -> None:
    assert read(schema, type_, value) == expected


@pytest.mark.parametrize(
    ("schema", "type_", "named"),
    [
        ("string", "INT", "string"),
        ("boolean", "INT", "boolean"),
        ("int", "TIMESTAMP(3)", "int"),
        (logical("long", "timestamp-millis"), "BIGINT", "timestamp-millis"),
        (logical("int", "time-millis"), "INT", "time-millis"),
        (logical("int", "date"), "INT", "date"),
        ("bytes", "DECIMAL(5, 2)", "bytes"),
        (["int", "string"], "INT", "string"),
        (["null", logical("long", "timestamp-millis"), logical("long", "timestamp-micros")], "TIMESTAMP(3)", "null"),
        ({"type": "array", "items": "int"}, "MAP<STRING, INT>", "array"),
    ],
)
def test_what_was_written_as_another_type_is_refused_with_both(schema: Any, type_: str, named: str) -> None:
    with pytest.raises(TableException, match=rf"^column 'a' is written as Avro's .*{named}.*, which cannot be read as"):
        reader_of(schema, parse_logical_type(type_), {}, "column 'a'")


@pytest.mark.parametrize("factor", [1, 1000])
@pytest.mark.parametrize("divisor", [1, 1000])
@pytest.mark.parametrize("step", [1, 1000])
def test_ticks_are_scaled_at_once_as_they_are_one_by_one(factor: int, divisor: int, step: int) -> None:
    scaled = Scaled(factor, divisor, step=step)
    values = [0, 1, -1, 999, -999, 1000, -1000, -1001, None]
    assert scaled.array(pa.array(values, pa.int64())).to_pylist() == [scaled(value) for value in values]


def test_ticks_that_are_too_many_are_an_error() -> None:
    with pytest.raises(pa.ArrowInvalid):
        Scaled(1000, 1).array(pa.array([2**62]))


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("DECIMAL(5, 2)", Decimal("-1.27"), b"\x81"),
        ("DECIMAL(5, 2)", Decimal("1.28"), b"\x00\x80"),
        ("DECIMAL(5, 2)", Decimal("0.00"), b"\x00"),
        ("DATE", date(1969, 12, 31), -1),
        ("TIME(0)", time(0, 0, 1), 1000),
        ("TIMESTAMP(3)", datetime(1969, 12, 31, 23, 59, 59, 999_000), -1),
        ("TIMESTAMP_LTZ(6)", datetime(1970, 1, 1, 0, 0, 0, 7, tzinfo=UTC), 7),
        ("INT", 7, 7),
        ("ARRAY<DATE>", [date(1970, 1, 2), None], [1, None]),
        ("MAP<STRING, TIME(3)>", [("a", time(0, 0, 0, 5000)), ("b", None)], {"a": 5, "b": None}),
        ("MULTISET<STRING>", [("a", 2)], {"a": 2}),
        ("ROW<t TIMESTAMP(3), z TIMESTAMP_LTZ(6), d DECIMAL(3, 1)>",
         {"t": datetime(1969, 12, 31, 23, 59, 59, 999_000), "z": datetime(1970, 1, 1, tzinfo=UTC), "d": None},
         {"t": -1, "z": 0, "d": None}),
    ],
)  # fmt: skip
def test_a_value_of_a_column_becomes_its_physical_value(type_: str, value: Any, expected: Any) -> None:
    logical_type = parse_logical_type(type_)
    prepare, convert = encoder_of(logical_type)
    (physical,) = prepare(pa.array([value], to_arrow_type(logical_type))).to_pylist()
    assert (physical if convert is None else convert(physical)) == expected
