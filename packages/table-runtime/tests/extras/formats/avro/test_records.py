"""Records of Avro as columns and back: fields by name, messages, and schemas that only the library reads."""

from __future__ import annotations

import io
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.avro.records import RecordReader, RecordWriter, named_schemas, parse_schema, require_fields
from table_runtime.formats.avro.schema import record_schema
from table_runtime.formats.skipped_rows import Ignored


def record(*fields: tuple[str, Any], name: str = "r", **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": name, "type": type_} for name, type_ in fields], **more}


def row_of(columns: dict[str, str]) -> RowType:
    return RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)


def binary(*messages: bytes | None) -> pa.Array:
    return pa.array(messages, pa.binary())


def encoded(schema: Any, *rows: Any) -> list[bytes]:
    found = []
    for row in rows:
        stream = io.BytesIO()
        fastavro.schemaless_writer(stream, fastavro.parse_schema(schema, {}), row)
        found.append(stream.getvalue())
    return found


LIST = record(("v", "int"), ("next", ["null", "LongList"]), name="LongList")
"""A schema that contains itself: the compiled reader of blocks does not take it."""


@pytest.mark.parametrize("columns", [{"v": "INT"}, {"next": "ROW<v INT, next ROW<v INT>>", "v": "BIGINT", "none": "STRING"}])
def test_a_schema_that_contains_itself_is_read_as_deep_as_the_columns_go(columns: dict[str, str]) -> None:
    rows = [{"v": 1, "next": {"v": 2, "next": {"v": 3, "next": {"v": 4, "next": None}}}}, {"v": 5, "next": None}]
    reader = RecordReader(LIST, row_of(columns), "f")
    found = [column.to_pylist() for column in reader.block(b"".join(encoded(LIST, *rows)), 2)]
    nested = [[{"v": 2, "next": {"v": 3}}, None], [1, 5], [None, None]]
    assert found == ([[1, 5]] if len(columns) == 1 else nested)


@pytest.mark.parametrize("schema", [record(("a", "int")), record(("a", "int"), ("next", ["null", "r"]))])
def test_messages_keep_their_positions_and_empty_ones_give_no_row(schema: Any) -> None:
    first, second = encoded(schema, {"a": 1, "next": None}, {"a": 2, "next": None})
    columns, positions = RecordReader(schema, row_of({"a": "INT"}), "f").messages(binary(b"", first, None, second), str, None)
    assert ([column.to_pylist() for column in columns], positions.to_pylist()) == ([[1, 2]], [1, 3])


@pytest.mark.parametrize("schema", [record(("a", "string")), record(("a", "string"), ("next", ["null", "r"]))])
def test_a_message_that_is_no_record_is_an_error_or_is_counted(schema: Any) -> None:
    (good,) = encoded(schema, {"a": "x", "next": None})
    reader = RecordReader(schema, row_of({"a": "STRING"}), "f")
    with pytest.raises(TableRuntimeException, match=r"^message 1 is not a record of the expected schema: .*\. It begins with 0x08ff\."):
        reader.messages(binary(good, b"\x08\xff"), lambda position: f"message {position}", None)
    ignored = Ignored()
    columns, positions = reader.messages(binary(good, b"\x08\xff", good), lambda position: f"message {position}", ignored)
    assert ([column.to_pylist() for column in columns], positions.to_pylist(), ignored.rows) == ([["x", "x"]], [0, 2], 1)


def test_no_messages_give_columns_without_rows() -> None:
    columns, positions = RecordReader(record(("a", "int")), row_of({"a": "INT", "b": "DATE"}), "f").messages(binary(None), str, None)
    assert [column.type for column in columns] == [pa.int32(), pa.date32()]
    assert positions.to_pylist() == []


@pytest.mark.parametrize("schema", ["string", {"type": "array", "items": "int"}, ["null", record(("a", "int"))]])
def test_a_schema_that_is_no_record_is_refused(schema: Any) -> None:
    with pytest.raises(ValidationException, match=r"^the file does not contain records"):
        RecordReader(schema, row_of({"a": "INT"}), "the file")


def test_a_column_of_another_type_is_refused_with_its_name() -> None:
    with pytest.raises(TableException, match=r"^the file: column 'a' is written as Avro's string, which cannot be read as INT"):
        RecordReader(record(("a", "string")), row_of({"a": "INT"}), "the file")


def test_each_row_is_written_as_a_record_of_the_slice() -> None:
    row_type = row_of({"a": "INT", "d": "DECIMAL(4, 1)", "l": "ARRAY<DATE>"})
    schema = to_arrow_schema(row_type)
    batch = pa.RecordBatch.from_pylist([{"a": number, "d": None, "l": [None] * number} for number in range(3)], schema=schema)
    written = record_schema(row_type)
    records = RecordWriter(written, row_type).records(batch.slice(1)).to_pylist()
    reader = RecordReader(written, row_type, "f")
    assert [column.to_pylist() for column in reader.block(b"".join(records), 2)] == [[1, 2], [None, None], [[None], [None, None]]]


def test_named_schemas_are_found_by_simple_and_by_full_name() -> None:
    inner = {"type": "enum", "name": "e", "symbols": ["A"]}
    other = {"type": "fixed", "name": "x.y.f", "size": 1}
    schema = record(("a", ["null", inner]), ("b", {"type": "map", "values": other}), name="r", namespace="n")
    assert set(dict(named_schemas(schema))) == {"r", "n.r", "e", "n.e", "f", "x.y.f"}


@pytest.mark.parametrize("text", ["", "{", '"nosuch"', "7", '{"type": "record"}', '{"type": "record", "name": "r"}', '["int", "int", 5]'])
def test_a_text_that_is_no_schema_is_refused(text: str) -> None:
    with pytest.raises(ValidationException, match=r"^The schema of f is not an Avro schema"):
        parse_schema(text, "The schema of f")


def test_missing_fields_are_found_through_names_and_unions() -> None:
    inner = record(("x", "int"), name="inner")
    schema = record(("a", ["null", inner]), ("b", {"type": "array", "items": "inner"}), ("c", {"type": "map", "values": ["inner", "null"]}))
    require_fields(row_of({"c": "MAP<STRING, ROW<x INT>>", "a": "ROW<x INT>"}), schema, "the file")
    for columns in ({"a": "ROW<y INT>"}, {"b": "ARRAY<ROW<y INT>>"}, {"c": "MAP<STRING, ROW<y INT>>"}):
        with pytest.raises(ValidationException, match=r"^Field 'y' does not exist in the file, column"):
            require_fields(row_of(columns), schema, "the file")
    with pytest.raises(ValidationException, match=r"^Column 'd' does not exist in the file"):
        require_fields(row_of({"d": "INT"}), schema, "the file")


@pytest.mark.parametrize(("kind", "logical", "type_", "number"), [
    ("int", None, "TINYINT", 1000),
    ("long", None, "INT", 2**31),
    ("int", "date", "DATE", 2**40),
    ("long", "timestamp-millis", "TIMESTAMP(3)", 2**62),
    ("int", "time-millis", "TIME(0)", -19_000),
    ("int", "time-millis", "TIME(3)", 86_400_000),
    ("long", "time-micros", "TIME(6)", -1),
    ("long", "time-micros", "TIME(0)", 2**50),
])  # fmt: skip
def test_a_number_that_does_not_fit_is_an_error_of_its_message(kind: str, logical: str | None, type_: str, number: int) -> None:
    schema = record(("d", {"type": kind, "logicalType": logical} if logical else kind))
    reader = RecordReader(schema, row_of({"d": type_}), "f")
    data = encoded(record(("d", "long")), {"d": 0}, {"d": number})
    with pytest.raises(TableRuntimeException, match=r"^1 is not a record of the expected schema: "):
        reader.messages(binary(*data), str, None)
    assert reader.messages(binary(*data), str, Ignored())[1].to_pylist() == [0]
