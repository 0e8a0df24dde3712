"""Avro records that are decoded at the same time; the walk that is compiled for the schema is the reference."""

from __future__ import annotations

import io
import json
import random
import re
from typing import Any

import fastavro
import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.avro.records import RecordReader
from table_runtime.formats.avro.schema import record_schema, without_logical_types

NUMBERS = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, 1 << 20, 1_700_000_000_000, -(1 << 40)]
SCALARS: dict[str, Any] = {
    "BOOLEAN": lambda random_: random_.random() < 0.5,
    "INT": lambda random_: random_.choice([0, 1, -1, 63, 64, -65, 2**31 - 1, -(2**31)]),
    "BIGINT": lambda random_: random_.choice(NUMBERS),
    "DOUBLE": lambda random_: random_.choice([0.0, -1.5, 1e300]),
    "FLOAT": lambda random_: random_.choice([0.0, -1.5]),
    "STRING": lambda random_: random_.choice(["", "x", "é" * 40, "long" * 40]),
    "BYTES": lambda random_: random_.choice([b"", b"\0\xff", b"z" * 70]),
    "DECIMAL(10, 2)": lambda random_: random_.choice([b"\x00", b"\xff", b"\x01\x00", b"\x80\x00", b"\x7f\xff\xff\xff"]),
    "DATE": lambda random_: random_.choice([0, -1, 19_000]),
    "TIMESTAMP(3)": lambda random_: random_.choice(NUMBERS[:-1]),
}


def value(random_: random.Random, type_: str) -> Any:
    if random_.random() < 0.1:
        return None
    if type_.startswith("ROW"):
        return {"f": value(random_, type_[len("ROW<f ") : -1])}
    if type_.startswith("ARRAY"):
        return [value(random_, type_[len("ARRAY<") : -1]) for _ in range(random_.randrange(4))]
    if type_.startswith("MAP"):
        return {key: value(random_, type_[len("MAP<STRING, ") : -1]) for key in "abc"[: random_.randrange(4)]}
    return SCALARS[type_](random_)


def encoded(schema: Any, rows: list[dict[str, Any]]) -> list[bytes]:
    parsed = fastavro.parse_schema(json.loads(json.dumps(without_logical_types(schema))), {})
    found = []
    for row in rows:
        stream = io.BytesIO()
        fastavro.schemaless_writer(stream, parsed, row)
        found.append(stream.getvalue())
    return found


def reader_of(schema: Any, row_type: RowType, *, lanes: bool) -> RecordReader:
    reader = RecordReader(schema, row_type, "f")
    assert reader._blocks is not None
    if not lanes:
        reader._blocks._lanes = None
    return reader


def test_random_records_are_those_of_the_walk() -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    by_lanes = 0
    for _ in range(60):
        wraps = ["{}", "{}", "ROW<f {}>", "ARRAY<{}>", "MAP<STRING, {}>", "ARRAY<ROW<f {}>>", "ROW<f ARRAY<{}>>", "ROW<f ROW<f {}>>"]
        columns = [(f"c{number}", random_.choice(wraps).format(random_.choice(list(SCALARS)))) for number in range(random_.randrange(1, 5))]
        full = RowType.of([(name, parse_logical_type(type_)) for name, type_ in columns], nullable=False)
        schema = record_schema(full)
        selected = random_.sample(full.fields, random_.randrange(1, len(columns) + 1))
        wanted = RowType.of([*((field.name, field.type) for field in selected), ("none", parse_logical_type("INT"))], nullable=False)
        messages = encoded(schema, [{name: value(random_, type_) for name, type_ in columns} for _ in range(random_.choice([64, 90]))])
        fast, reference = (reader_of(schema, wanted, lanes=lanes) for lanes in (True, False))
        by_lanes += fast._blocks is not None and fast._blocks._lanes is not None
        expected = reference.block(b"".join(messages), len(messages))
        array = pa.array([b"?", *messages], pa.binary()).slice(1)
        for found in (fast.block(b"".join(messages), len(messages)), fast.messages(array, str, None)[0]):
            for one, other in zip(found, expected, strict=True):
                one.validate(full=True)
                assert one.type == other.type
                assert one.equals(other), (columns, one, other)
    assert by_lanes > 40


def test_damaged_records_have_the_errors_of_the_walk() -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    columns = {"a": "BIGINT", "s": "STRING", "l": "ARRAY<INT>", "d": "DOUBLE", "r": "ROW<f BOOLEAN>"}
    row_type = RowType.of([(name, parse_logical_type(type_)) for name, type_ in columns.items()], nullable=False)
    schema = record_schema(row_type)
    fast, reference = (reader_of(schema, row_type, lanes=lanes) for lanes in (True, False))
    for _ in range(150):
        messages = encoded(schema, [{name: value(random_, type_) for name, type_ in columns.items()} for _ in range(70)])
        at = random_.randrange(70)
        damaged = bytearray(messages[at])
        match random_.randrange(3):
            case 0:
                damaged[random_.randrange(len(damaged))] = random_.randrange(256)
            case 1:
                del damaged[random_.randrange(len(damaged)) :]
            case _:
                damaged += b"\x00"
        messages[at] = bytes(damaged)

        def outcome(reader: RecordReader, *, block: bool, messages: list[bytes] = messages) -> str:
            try:
                if block:
                    return str([column.to_pylist() for column in reader.block(b"".join(messages), len(messages))])
                return str([column.to_pylist() for column in reader.messages(pa.array(messages, pa.binary()), str, None)[0]])
            except TableRuntimeException as error:
                return re.sub(r"at 0x[0-9a-f]+", "", str(error))  # of the library's stream
            except Exception as error:  # the file's reader names the file and the block
                return re.sub(r"at 0x[0-9a-f]+", "", f"{type(error).__name__}: {error}")

        for block in (False, True):
            assert outcome(fast, block=block) == outcome(reference, block=block), messages


def test_numbers_of_nine_and_ten_bytes_and_long_arrays_are_left_to_the_walk() -> None:
    row_type = RowType.of([("a", parse_logical_type("BIGINT")), ("l", parse_logical_type("ARRAY<INT>"))], nullable=False)
    schema = record_schema(row_type)
    rows = [{"a": number, "l": list(range(size))} for number, size in [(2**63 - 1, 0), (-(2**63), 1), (1, 500)] for _ in range(30)]
    reader = reader_of(schema, row_type, lanes=True)
    messages = encoded(schema, rows)
    for found in (reader.block(b"".join(messages), 90), reader.messages(pa.array(messages, pa.binary()), str, None)[0]):
        assert [column.to_pylist() for column in found] == [[row["a"] for row in rows], [row["l"] for row in rows]]


def test_elements_may_be_in_several_blocks_with_sizes() -> None:
    schema = {
        "type": "record",
        "name": "r",
        "fields": [{"name": "l", "type": {"type": "array", "items": "int"}}, {"name": "b", "type": "int"}],
    }
    row_type = RowType.of([("l", parse_logical_type("ARRAY<INT>")), ("b", parse_logical_type("INT"))], nullable=False)
    reader = reader_of(schema, row_type, lanes=True)
    # Two elements with the size of their block, one without, the end.
    message = bytes([3, 4, 2, 4, 2, 6, 0, 8])
    for found in (reader.block(message * 70, 70), reader.messages(pa.array([message] * 70, pa.binary()), str, None)[0]):
        assert [column.to_pylist() for column in found] == [[[1, 2, 3]] * 70, [4] * 70]


def test_decimals_that_are_rounded_or_too_long_are_converted_one_by_one() -> None:
    schema = {
        "type": "record",
        "name": "r",
        "fields": [{"name": "d", "type": {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 3}}],
    }
    numbers = [15, -15, 4, 10**30]
    messages = encoded(schema, [{"d": number.to_bytes(16, "big", signed=True)} for number in numbers] * 20)
    row_type = RowType.of([("d", parse_logical_type("DECIMAL(38, 2)"))], nullable=False)
    found = reader_of(schema, row_type, lanes=True).messages(pa.array(messages, pa.binary()), str, None)[0][0]
    assert [str(item) for item in found[:4]] == ["0.02", "-0.02", "0.00", f"{10**27}.00"]
