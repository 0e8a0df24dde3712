"""Columns as Avro records by kernels: the bytes that fastavro writes."""

from __future__ import annotations

import io
import random
from datetime import date
from decimal import Decimal
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.avro.columnar_encoder import record_pieces
from table_runtime.formats.avro.records import RecordWriter
from table_runtime.formats.avro.schema import record_schema, without_logical_types

LEAVES: dict[str, list[Any]] = {
    "BOOLEAN": [True, False],
    "TINYINT": [-128, 0, 127],
    "INT": [0, -1, 63, -64, 64, 8191, 8192, -(2**31), 2**31 - 1],
    "BIGINT": [*(sign * 2**power + step for power in range(0, 63, 7) for sign in (1, -1) for step in (-1, 0)), 2**63 - 1, -(2**63)],
    "FLOAT": [0.0, -1.5],
    "DOUBLE": [0.0, -1.5, 1e300],
    "STRING": ["", "x", "é" * 70, "y" * 9000],
    "BYTES": [b"", b"\0", b"z" * 100],
    "DECIMAL(4, 1)": [Decimal("0.0"), Decimal("-12.8"), Decimal("12.7"), Decimal("999.9"), Decimal("-25.6")],
    "DECIMAL(18, 2)": [Decimal("0.00"), *(Decimal(sign * (2**power + step)).scaleb(-2) for power in (7, 8, 15, 23, 31, 39, 47, 55) for sign in (1, -1) for step in (-1, 0))],
    "DECIMAL(38, 10)": [Decimal("1234567890123456789.0123456789"), Decimal("-0.0000000001")],
    "DATE": [date(1, 1, 1), date(2020, 2, 29)],
    "TIME(3)": [0, 86_399_999_000],
    "TIMESTAMP(3)": [-1, 0, 1_700_000_000_123_456],
    "TIMESTAMP_LTZ(6)": [-1, 0, 1_700_000_000_123_456],
}  # fmt: skip
SHAPES = ["{}", "{} NOT NULL", "ROW<a {}, b ARRAY<{} NOT NULL>>", "ARRAY<{}>", "MAP<STRING, {}>", "ARRAY<ROW<m MAP<STRING, {}>> NOT NULL>"]


def value_of(random_: random.Random, type_: pa.DataType, leaves: list[Any], *, nullable: bool) -> Any:
    if nullable and random_.random() < 0.2:
        return None
    if pa.types.is_map(type_):
        keys = random_.sample("abcde", k=random_.randrange(4))
        return [(key, value_of(random_, type_.item_type, leaves, nullable=type_.item_field.nullable)) for key in keys]
    if pa.types.is_list(type_):
        count = random_.choice([0, 1, 3, 70])
        return [value_of(random_, type_.value_type, leaves, nullable=type_.value_field.nullable) for _ in range(count)]
    if pa.types.is_struct(type_):
        return {field.name: value_of(random_, field.type, leaves, nullable=field.nullable) for field in type_}
    return random_.choice(leaves)


@pytest.mark.parametrize("shape", SHAPES)
def test_records_have_the_bytes_that_fastavro_writes(shape: str) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    for leaf, leaves in LEAVES.items():
        row_type = RowType.of(
            [("v", parse_logical_type(shape.format(*[leaf] * shape.count("{}")))), ("i", parse_logical_type("INT"))], nullable=False
        )
        field = to_arrow_schema(row_type).field(0)
        values = [value_of(random_, field.type, leaves, nullable=field.nullable) for _ in range(15)]
        batch = pa.RecordBatch.from_arrays(
            [pa.array([values[0], *values], field.type), pa.array(range(16), pa.int32())], schema=to_arrow_schema(row_type)
        ).slice(1)
        schema = record_schema(row_type)
        assert record_pieces(schema, row_type, {}) is not None
        writer = RecordWriter(schema, row_type)
        assert writer.records(batch).to_pylist() == list(writer._one_by_one(batch)), leaf


def test_a_union_may_have_null_at_its_end() -> None:
    row_type = RowType.of([("a", parse_logical_type("INT"))], nullable=False)
    schema = {"type": "record", "name": "r", "fields": [{"name": "a", "type": ["int", "null"]}]}
    records = RecordWriter(schema, row_type).records(pa.record_batch({"a": pa.array([1, None], pa.int32())}))
    parsed = fastavro.parse_schema(without_logical_types(schema))
    assert [fastavro.schemaless_reader(io.BytesIO(record), parsed) for record in records.to_pylist()] == [{"a": 1}, {"a": None}]


@pytest.mark.parametrize("type_", ["string", ["null", "int", "long"], {"type": "array", "items": "int"}])
def test_another_schema_than_that_of_the_type_is_left_to_fastavro(type_: Any) -> None:
    row_type = RowType.of([("a", parse_logical_type("INT"))], nullable=False)
    assert record_pieces({"type": "record", "name": "r", "fields": [{"name": "a", "type": type_}]}, row_type, {}) is None


def test_a_null_where_none_may_be_is_an_error_as_before() -> None:
    row_type = RowType.of([("a", parse_logical_type("INT NOT NULL"))], nullable=False)
    with pytest.raises(Exception, match="an integer is required"):
        RecordWriter(record_schema(row_type), row_type).records(pa.record_batch({"a": pa.array([None], pa.int32())}))
