"""Blocks of Avro records are read as fastavro reads them, by code that is compiled for the schema."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.avro.records import RecordReader
from table_runtime.formats.avro.schema import record_schema, without_logical_types

NUMBERS = sorted({sign * (1 << bits) + more for bits in range(63) for sign in (1, -1) for more in (-1, 0, 1)} | {2**63 - 1, -(2**63)})
TEXTS = ["", "x", "é" * 70, "0" * 9000]


def record(*fields: tuple[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": "r", "fields": [{"name": name, "type": type_} for name, type_ in fields]}


def reader_of(schema: Any, columns: dict[str, str]) -> RecordReader:
    row_type = RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)
    return RecordReader(schema, row_type, "The file")


def binary(*messages: bytes | None) -> pa.Array:
    return pa.array(messages, pa.binary())


def encoded(schema: Any, rows: Sequence[dict[str, Any]]) -> list[bytes]:
    parsed = fastavro.parse_schema(json.loads(json.dumps(schema)), {})
    found = []
    for row in rows:
        stream = io.BytesIO()
        fastavro.schemaless_writer(stream, parsed, row)
        found.append(stream.getvalue())
    return found


def block(schema: Any, columns: dict[str, str], rows: Sequence[dict[str, Any]]) -> list[list[Any]]:
    reader = reader_of(schema, columns)
    return [column.to_pylist() for column in reader.block(b"".join(encoded(schema, rows)), len(rows))]


@pytest.mark.parametrize(
    ("kind", "type_", "values"),
    [
        ("long", "BIGINT", NUMBERS),
        ("int", "INT", [number for number in NUMBERS if -(2**31) <= number < 2**31]),
        ("long", "DOUBLE", [0, 1, -1, 1 << 40]),
        ("double", "DOUBLE", [0.0, -1.5, 1e300, float("inf")]),
        ("float", "DOUBLE", [0.0, -1.5]),
        ("double", "FLOAT", [0.5]),
        ("boolean", "BOOLEAN", [True, False]),
        ("string", "STRING", TEXTS),
        ("bytes", "BYTES", [b"", b"\0\xff" * 100]),
        ({"type": "fixed", "name": "f", "size": 3}, "BYTES", [b"abc"]),
        ({"type": "enum", "name": "e", "symbols": ["A", "B", "C"]}, "STRING", ["C", "A"]),
        ({"type": "array", "items": "long"}, "ARRAY<BIGINT>", [[1, 2], []]),
        ({"type": "array", "items": ["null", "string"]}, "ARRAY<STRING>", [["x", None]]),
    ],
)
@pytest.mark.parametrize("form", ["alone", "null first", "null last", "a union of one"])
def test_values_are_those_that_were_written(kind: Any, type_: str, values: list[Any], form: str) -> None:
    schema = {"alone": kind, "null first": ["null", kind], "null last": [kind, "null"], "a union of one": [kind]}[form]
    nulls = [None] if form.startswith("null") else []
    rows = [{"before": 7, "value": value, "after": "z"} for value in [*nulls, *values, *nulls]]
    found = block(
        record(("before", "int"), ("value", schema), ("after", "string")), {"after": "STRING", "value": type_, "before": "INT"}, rows
    )
    assert found == [["z"] * len(rows), [row["value"] for row in rows], [7] * len(rows)]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("long", 1 << 50),
        ("null", None),
        ("boolean", True),
        ("double", 1.5),
        ("string", "x" * 300),
        ({"type": "fixed", "name": "f", "size": 3}, b"abc"),
        (["null", "string"], None),
        (["int", "null"], 1 << 20),
        (["null", "string", "long"], 5),
        ({"type": "map", "values": "long"}, {"a": 1}),
        ({"type": "record", "name": "inner", "fields": [{"name": "x", "type": "string"}]}, {"x": "y"}),
    ],
)
def test_fields_that_are_not_wanted_are_stepped_over(kind: Any, value: Any) -> None:
    schema = record(("other", kind), ("value", "int"), ("last", kind if isinstance(kind, (str, list)) else "int"))
    last = value if isinstance(kind, (str, list)) else 3
    rows = [{"other": value, "value": number, "last": last} for number in (1, 2)]
    assert block(schema, {"value": "INT"}, rows) == [[1, 2]]


def test_records_are_counted_without_columns() -> None:
    assert block(record(("a", "int")), {}, [{"a": 1}, {"a": 2}]) == []


def test_a_column_that_the_records_do_not_have_is_null() -> None:
    assert block(record(("a", "int")), {"b": "STRING", "a": "INT"}, [{"a": 1}]) == [[None], [1]]


def test_a_schema_may_be_referred_to_by_its_name() -> None:
    symbols = {"type": "enum", "name": "e", "symbols": ["A", "B"]}
    schema = record(("a", symbols), ("b", ["null", "e"]), ("c", {"type": "array", "items": "e"}))
    rows = [{"a": "A", "b": "B", "c": ["B", "A"]}, {"a": "B", "b": None, "c": []}]
    assert block(schema, {"a": "STRING", "b": "STRING", "c": "ARRAY<STRING>"}, rows) == [["A", "B"], ["B", None], [["B", "A"], []]]


def test_decimals_are_converted() -> None:
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2}
    rows = [{"d": Decimal("-12.34")}, {"d": None}]
    assert block(record(("d", ["null", decimal])), {"d": "DECIMAL(6, 2)"}, rows) == [[Decimal("-12.34"), None]]


@pytest.mark.parametrize(
    ("logical", "type_", "number", "expected"),
    [
        ("timestamp-millis", "TIMESTAMP(3)", -1_700_000_000_123, -1_700_000_000_123_000),
        ("timestamp-micros", "TIMESTAMP(6)", -1, -1),
        ("timestamp-nanos", "TIMESTAMP(6)", -1, -1),
        ("timestamp-nanos", "TIMESTAMP(6)", -2000, -2),
        ("timestamp-nanos", "TIMESTAMP(6)", 1999, 1),
        ("timestamp-micros", "TIMESTAMP(9)", 5, 5000),
        ("timestamp-micros", "TIMESTAMP(3)", -1, -1000),
        ("timestamp-nanos", "TIMESTAMP(7)", 1_234, 1_200),
        ("timestamp-millis", "TIMESTAMP(0)", 1_999, 1_000_000),
        ("time-micros", "TIME(6)", 7, 7),
    ],
)
@pytest.mark.parametrize("null", [True, False])
def test_times_have_the_ticks_of_the_column(logical: str, type_: str, number: int, expected: int, null: bool) -> None:
    written = {"type": "long", "logicalType": logical}
    plain = record(("t", ["null", "long"] if null else "long"))
    numbers = [number, None] if null else [number]
    data = b"".join(encoded(plain, [{"t": value} for value in numbers]))
    (column,) = reader_of(record(("t", ["null", written] if null else written)), {"t": type_}).block(data, len(numbers))
    assert column.view("int64").to_pylist() == [expected, None][: len(numbers)]


def test_times_in_arrays_have_the_ticks_of_the_column() -> None:
    written = {"type": "array", "items": ["null", {"type": "long", "logicalType": "timestamp-millis"}]}
    data = b"".join(encoded(record(("t", {"type": "array", "items": ["null", "long"]})), [{"t": [5, None]}]))
    (column,) = reader_of(record(("t", written)), {"t": "ARRAY<TIMESTAMP(3)>"}).block(data, 1)
    assert column.flatten().view("int64").to_pylist() == [5000, None]


@pytest.mark.parametrize(
    ("schema", "data", "expected"),
    [
        ("int", b"", IndexError),
        ("int", b"\x80", IndexError),
        ("int", b"\x02\x02", ValueError),
        ("double", b"\0\0\0", ValueError),
        ("string", b"\x08abc", ValueError),
        ("string", b"\x01", ValueError),
        ("string", b"\x02\xff", ValueError),
        (["null", "int"], b"\x04\x02", ValueError),
        ("long", b"\xff" * 12 + b"\x01", (OverflowError, ValueError)),
        ({"type": "enum", "name": "e", "symbols": ["A"]}, b"\x06", IndexError),
    ],
)
def test_records_that_are_damaged_are_an_error(schema: Any, data: bytes, expected: Any) -> None:
    type_ = {"int": "INT", "double": "DOUBLE", "long": "BIGINT"}.get(schema if isinstance(schema, str) else "", "STRING")
    with pytest.raises(expected):
        reader_of(record(("a", schema)), {"a": "INT" if schema == ["null", "int"] else type_}).block(data, 1)


def test_messages_are_read_at_once_without_empty_ones() -> None:
    schema = record(("a", "int"), ("s", "string"))
    first, second = encoded(schema, [{"a": 1, "s": "x"}, {"a": 2, "s": "y"}])
    columns, positions = reader_of(schema, {"s": "STRING", "a": "INT"}).messages(binary(None, first, b"", second), str, None)
    assert [column.to_pylist() for column in columns] == [["x", "y"], [1, 2]]
    assert positions.to_pylist() == [1, 3]


def test_a_message_that_is_no_record_is_named() -> None:
    schema = record(("a", "int"), ("s", "string"))
    first, second = encoded(schema, [{"a": 1, "s": "x"}, {"a": 2, "s": "yyy"}])
    with pytest.raises(TableRuntimeException, match="message 1 is not a record"):
        reader_of(schema, {"a": "INT"}).messages(binary(first, second[:3]), lambda position: f"message {position}", None)


NESTED = [
    "ROW<a INT, b ROW<c STRING NOT NULL, d DECIMAL(5, 2)>>",
    "ARRAY<TIMESTAMP(3)>",
    "ARRAY<ROW<a BYTES, b ARRAY<DATE NOT NULL>> NOT NULL>",
    "MAP<STRING, ROW<a BIGINT, m MAP<STRING, DOUBLE>>>",
    "MULTISET<STRING>",
    "ROW<a ARRAY<ARRAY<TIME(3)>>, b BOOLEAN>",
]


def nested_value(random_: random.Random, schema: Any) -> Any:
    """Returns a random physical value of a schema."""
    if isinstance(schema, list):
        return None if random_.random() < 0.25 else nested_value(random_, schema[1])
    kind = schema["type"] if isinstance(schema, dict) else schema
    match kind:
        case "record":
            return {field["name"]: nested_value(random_, field["type"]) for field in schema["fields"]}
        case "array":
            return [nested_value(random_, schema["items"]) for _ in range(random_.choice([0, 1, 3, 70]))]
        case "map":
            return {key: nested_value(random_, schema["values"]) for key in random_.sample("abcé", random_.randrange(4))}
        case "int" | "long":
            return random_.choice([0, 1, 7, 999, 86_399_999])
        case "bytes":
            return random_.choice([b"\x01", b"\x00\xff"])
        case "string":
            return random_.choice(["", "x", "é" * 90])
        case "double":
            return random_.choice([0.5, -1e300])
        case _:
            return random_.random() < 0.5


@pytest.mark.parametrize("type_", NESTED)
def test_nested_values_are_read_as_fastavro_reads_them(type_: str) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    row_type = RowType.of([("v", parse_logical_type(type_)), ("i", parse_logical_type("INT"))], nullable=False)
    written = record_schema(row_type)
    plain = json.loads(json.dumps(without_logical_types(written)))
    rows = [nested_value(random_, plain) for _ in range(40)]
    reader = RecordReader(written, row_type, "The file")
    assert reader._blocks is not None
    columns = reader.block(b"".join(encoded(plain, rows)), len(rows))
    for column, expected in zip(columns, reader.columns(rows), strict=True):
        column.validate(full=True)
        assert column.equals(expected)
    # A part of the fields, and none of the nested ones.
    only = RecordReader(written, RowType.of([("i", parse_logical_type("INT"))], nullable=False), "The file")
    assert only.block(b"".join(encoded(plain, rows)), len(rows))[0].equals(columns[1])


def test_fields_that_a_nested_row_lacks_are_null_and_others_are_skipped() -> None:
    schema = record(
        (
            "r",
            {
                "type": "record",
                "name": "n",
                "fields": [{"name": "x", "type": {"type": "array", "items": "int"}}, {"name": "a", "type": "int"}],
            },
        )
    )
    rows = [{"r": {"x": [1, 2], "a": 5}}, {"r": {"x": [], "a": 6}}]
    assert block(schema, {"r": "ROW<a INT, z STRING>"}, rows) == [[{"a": 5, "z": None}, {"a": 6, "z": None}]]


def test_blocks_of_elements_may_have_sizes_and_maps_a_key_twice() -> None:
    schema = record(("l", {"type": "array", "items": "int"}), ("m", {"type": "map", "values": "int"}))
    # Two blocks of the array: -2 elements of 2 bytes, then one; two entries with the same key.
    data = bytes([3, 4, 2, 4, 2, 6, 0, 4, 2, ord("a"), 2, 2, ord("a"), 4, 0])
    assert [column.to_pylist() for column in reader_of(schema, {"l": "ARRAY<INT>", "m": "MAP<STRING, INT>"}).block(data, 1)] == [
        [[1, 2, 3]],
        [[("a", 2)]],
    ]


def test_a_damaged_number_of_elements_is_an_error() -> None:
    schema = record(("l", {"type": "array", "items": "int"}))
    with pytest.raises(ValueError, match="elements"):
        reader_of(schema, {"l": "ARRAY<INT>"}).block(bytes([0xFE, 0xFF, 0xFF, 0x7F, 0]), 1)
