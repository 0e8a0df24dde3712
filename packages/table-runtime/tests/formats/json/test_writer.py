"""Rows as JSON objects: the encoder of files and messages."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.json.writer import JsonEncoder, JsonWriter


def row_of(**columns: str) -> RowType:
    return RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)


def batch_of(row_type: RowType, *rows: tuple[Any, ...]) -> pa.RecordBatch:
    schema = to_arrow_schema(row_type)
    return pa.RecordBatch.from_arrays([pa.array([row[i] for row in rows], f.type) for i, f in enumerate(schema)], schema=schema)


def lines(type_: str, values: list[Any], start: int = 0, **options: str) -> list[str]:
    """Returns the text of each value from ``start`` on, written as the only column of a slice."""
    row_type = row_of(a=type_)
    batch = batch_of(row_type, *((value,) for value in values)).slice(start)
    texts = JsonEncoder(row_type, ReadableConfig(options)).lines(batch.to_struct_array()).to_pylist()
    return [text.removeprefix('{"a":').removesuffix("}") for text in texts]


@pytest.mark.parametrize(
    ("type_", "values", "expected"),
    [
        ("MAP<STRING, INT>", [[("a", 1)], [("b", 2)], None, [], [("c", 3)]], ['{"b":2}', "null", "{}", '{"c":3}']),
        ("MULTISET<STRING>", [[("a", 1)], [("b", 2)], None], ['{"b":2}', "null"]),
        ("ARRAY<MAP<STRING, INT>>", [[[("a", 1)]], [None, [("b", 2)]], None], ['[null,{"b":2}]', "null"]),
        ("ROW<m MAP<INT, STRING>>", [{"m": [(1, "a")]}, {"m": [(2, "b")]}, None], ['{"m":{"2":"b"}}', "null"]),
        ("ARRAY<INT>", [[1], [2, None], None, [3]], ["[2,null]", "null", "[3]"]),
    ],
)
def test_a_slice_of_rows_has_the_collections_of_its_own_rows(type_: str, values: list[Any], expected: list[str]) -> None:
    assert lines(type_, values, start=1) == expected


def maps_of(keys: list[str], values: list[int], offsets: list[int], valid: bytes) -> pa.StructArray:
    """Returns rows of one map each, as another reader may make them: with entries after a map that is NULL."""
    type_ = pa.map_(pa.string(), pa.int32())
    fields = [pa.field("key", pa.string(), nullable=False), pa.field("value", pa.int32())]
    entries = pa.StructArray.from_arrays([pa.array(keys, pa.string()), pa.array(values, pa.int32())], fields=fields)
    buffers = [pa.py_buffer(valid), pa.array(offsets, pa.int32()).buffers()[1]]
    return pa.StructArray.from_arrays([pa.Array.from_buffers(type_, len(offsets) - 1, buffers, children=[entries])], names=["m"])


def test_entries_behind_a_map_that_is_null_are_not_those_of_the_next() -> None:
    rows = maps_of(["x", "y", "z"], [1, 2, 3], [0, 1, 2, 3], valid=b"\x05")
    encoder = JsonEncoder(row_of(m="MAP<STRING, INT>"), ReadableConfig({}))
    assert encoder.lines(rows).to_pylist() == ['{"m":{"x":1}}', '{"m":null}', '{"m":{"z":3}}']


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("DOUBLE", float("nan"), '"NaN"'),
        ("DOUBLE", float("-inf"), '"-Infinity"'),
        ("FLOAT", 0.1, "0.1"),
        ("DOUBLE", 0.1, "0.1"),
        ("BIGINT", -(2**63), "-9223372036854775808"),
        ("DECIMAL(38, 0)", Decimal("1" * 38), "1" * 38),
        ("ARRAY<DOUBLE>", [float("inf"), None], '["Infinity",null]'),
        ("STRING", 'a"\\\n\u2028é', '"a\\"\\\\\\n\u2028é"'),
        ("BYTES", b"\xff\x00", '"/wA="'),
        ("BOOLEAN", False, "false"),
    ],
)
def test_a_value_has_its_own_shortest_text(type_: str, value: Any, expected: str) -> None:
    assert lines(type_, [value, None]) == [expected, "null"]


def test_a_decimal_keeps_its_digits_and_has_an_exponent_only_where_that_is_not_excluded() -> None:
    small = Decimal("0.0000000001")
    assert lines("DECIMAL(20, 10)", [small]) == ["1E-10"]
    assert lines("DECIMAL(20, 10)", [small], **{"encode.decimal-as-plain-number": "true"}) == ["0.0000000001"]


def test_null_fields_are_left_out_of_rows_at_every_level() -> None:
    options = {"encode.ignore-null-fields": "true"}
    assert lines("ROW<x INT, y ROW<z INT>>", [{"x": None, "y": {"z": None}}, {"x": 1, "y": None}], **options) == ['{"y":{}}', '{"x":1}']


@pytest.mark.parametrize("type_", ["INTERVAL DAY TO SECOND(3)", "ARRAY<INTERVAL DAY TO SECOND(3)>", "ROW<x INTERVAL DAY TO SECOND(3)>"])
def test_a_type_without_a_form_is_refused_before_anything_is_written(tmp_path: Path, type_: str) -> None:
    with pytest.raises(TableException, match="does not support values of the type INTERVAL DAY"):
        JsonWriter(tmp_path / "f", row_of(a=type_), {})
    assert not (tmp_path / "f").exists()


def test_a_file_has_one_object_a_line_and_the_compression_of_its_name(tmp_path: Path) -> None:
    row_type = row_of(a="INT", b="STRING")
    writer = JsonWriter(tmp_path / "f.json.gz", row_type, {})
    writer.write(batch_of(row_type, (1, "x\ny")))
    writer.write(batch_of(row_type))
    writer.write(batch_of(row_type, (2, None)))
    writer.close()
    text = gzip.decompress((tmp_path / "f.json.gz").read_bytes()).decode()
    assert [json.loads(line) for line in text.splitlines()] == [{"a": 1, "b": "x\ny"}, {"a": 2, "b": None}]
