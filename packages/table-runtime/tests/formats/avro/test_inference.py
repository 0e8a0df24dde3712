"""The columns that a schema of Avro stands for."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableException
from table_common.types import parse_logical_type
from table_runtime.formats.avro.inference import row_of_record
from table_runtime.formats.avro.schema import reader_of


def record(*fields: tuple[str, Any], name: str = "r") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": name, "type": type_} for name, type_ in fields]}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("int", "INT"),
        (["null", "long"], "BIGINT"),
        (["string", "null"], "STRING"),
        ({"type": "string", "avro.java.string": "String"}, "STRING"),
        ({"type": "fixed", "name": "f", "size": 3}, "BYTES"),
        ({"type": "enum", "name": "e", "symbols": ["A"]}, "STRING"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 8, "scale": 3}, "DECIMAL(8, 3)"),
        ({"type": "fixed", "name": "f", "size": 3, "logicalType": "decimal", "precision": 8}, "DECIMAL(8, 0)"),
        ({"type": "int", "logicalType": "date"}, "DATE"),
        ({"type": "int", "logicalType": "time-millis"}, "TIME(3)"),
        ({"type": "long", "logicalType": "timestamp-millis"}, "TIMESTAMP_LTZ(3)"),
        ({"type": "long", "logicalType": "local-timestamp-micros"}, "TIMESTAMP(6)"),
        ({"type": "long", "logicalType": "timestamp-nanos"}, "TIMESTAMP_LTZ(9)"),
        ({"type": "long", "logicalType": "local-timestamp-nanos"}, "TIMESTAMP(9)"),
        ({"type": "string", "logicalType": "uuid"}, "STRING"),
        ({"type": "long", "logicalType": "unknown"}, "BIGINT"),
        ({"type": "array", "items": ["null", "int"]}, "ARRAY<INT>"),
        ({"type": "map", "values": "double"}, "MAP<STRING NOT NULL, DOUBLE>"),
        (record(("x", "int"), name="inner"), "ROW<x INT>"),
        ({"type": {"type": "array", "items": "int"}}, "ARRAY<INT>"),
    ],
)
def test_a_field_has_the_type_that_reads_it(schema: Any, expected: str) -> None:
    (field,) = row_of_record(record(("a", schema)), "the file 'f'").fields
    assert field.type == parse_logical_type(expected)
    reader_of(schema, field.type, {}, "column 'a'")


def test_a_name_stands_for_the_schema_that_had_it_before() -> None:
    inner = {**record(("x", "int"), name="inner"), "namespace": "n.s"}
    row = row_of_record({**record(("a", inner), ("b", ["null", "inner"]), ("c", "n.s.inner")), "namespace": "n.s"}, "f")
    assert [str(field.type) for field in row.fields] == ["ROW<`x` INT>"] * 3


def test_a_union_of_several_types_is_refused_with_the_path_of_the_field() -> None:
    with pytest.raises(TableException, match=r"^the file 'f', field 'a', field 'x' is a union of several types"):
        row_of_record(record(("a", record(("x", ["null", "int", "string"]), name="inner"))), "the file 'f'")


@pytest.mark.parametrize("schema", ["string", ["null", "int"], {"type": "array", "items": "int"}])
def test_a_schema_that_is_no_record_is_refused(schema: Any) -> None:
    with pytest.raises(TableException, match=r"^the file 'f' does not contain records"):
        row_of_record(schema, "the file 'f'")


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ({"type": "array", "items": "x.Tree"}, "field 'kids'"),
        (["null", "Tree"], "field 'kids'"),
        ({"type": "record", "name": "Mid", "fields": [{"name": "up", "type": "Tree"}]}, "field 'kids', field 'up'"),
    ],
)
def test_a_record_that_contains_itself_is_refused_with_record_and_field(field: Any, place: str) -> None:
    schema = {"type": "record", "name": "Tree", "namespace": "x", "fields": [{"name": "v", "type": "int"}, {"name": "kids", "type": field}]}
    with pytest.raises(TableException) as caught:
        row_of_record(schema, "The file")
    assert caught.value.message.startswith(f"The file, {place} is of the record 'Tree', which contains itself.")
    assert "CREATE TABLE" in (caught.value.hint or "")


def test_a_record_in_two_fields_is_no_cycle() -> None:
    inner = {"type": "record", "name": "P", "fields": [{"name": "q", "type": "int"}]}
    schema = {"type": "record", "name": "r", "fields": [{"name": "a", "type": inner}, {"name": "b", "type": "P"}]}
    assert str(row_of_record(schema, "The file").fields[1].type) == "ROW<`q` INT>"
