from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from table_common.exceptions import TableError, TableException, TableRuntimeException, ValidationException
from table_runtime.formats import ReadTask, file_format
from table_runtime.formats.avro.factory import AvroFormatFactory


def write(path: Path, batches: Any, columns: dict[str, str], rows: Any, **options: str) -> None:
    writer = file_format("avro").open_writer(path, batches.row_type(columns), options)
    writer.write(batches.batch(columns, rows))
    writer.close()


def read(
    path: Path, batches: Any, columns: dict[str, str], wanted: tuple[str, ...] | None = None, *, nulls: bool = False
) -> list[tuple[Any, ...]]:
    row_type = batches.row_type(columns)
    task = ReadTask(path, row_type, wanted if wanted is not None else row_type.field_names, nulls_for_missing_columns=nulls)
    rows: list[tuple[Any, ...]] = []
    for piece in file_format("avro").read(task):
        rows += zip(*(column.to_pylist() for column in piece().columns), strict=True)
    return rows


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "bzip2", "xz", "zstandard"])
def test_every_type_is_read_back_with_each_codec(tmp_path: Path, batches: Any, codec: str) -> None:
    write(tmp_path / "f", batches, batches.columns, batches.rows, codec=codec)
    assert read(tmp_path / "f", batches, batches.columns) == list(batches.rows)


def test_files_that_are_written_can_be_read_by_others(tmp_path: Path, batches: Any) -> None:
    write(tmp_path / "f", batches, {"a": "INT", "s": "STRING"}, [(1, "x"), (None, None)], codec="deflate")
    with (tmp_path / "f").open("rb") as file:
        assert list(fastavro.reader(file)) == [{"a": 1, "s": "x"}, {"a": None, "s": None}]


def test_fields_are_found_by_name_whatever_the_file_has(tmp_path: Path, batches: Any) -> None:
    schema = {
        "type": "record",
        "name": "r",
        "fields": [
            {"name": "other", "type": {"type": "enum", "name": "e", "symbols": ["A", "B"]}},
            {"name": "b", "type": "e"},
            {"name": "ts", "type": {"type": "long", "logicalType": "timestamp-micros"}},
            {"name": "n", "type": {"type": "fixed", "name": "d", "size": 4, "logicalType": "decimal", "precision": 8, "scale": 1}},
        ],
    }
    buffer = io.BytesIO()
    record = {"other": "A", "b": "B", "ts": 1_500_000, "n": (1234).to_bytes(4, "big")}
    parsed = fastavro.parse_schema(schema)
    fastavro.writer(buffer, parsed, [record])
    (tmp_path / "f").write_bytes(buffer.getvalue())
    columns = {"b": "STRING", "missing": "INT", "ts": "TIMESTAMP(3)", "n": "DECIMAL(10, 2)"}
    assert [(row[0], row[1], str(row[2]), str(row[3])) for row in read(tmp_path / "f", batches, columns, nulls=True)] == [
        ("B", None, "1970-01-01 00:00:01.500000", "123.40")
    ]


def test_a_column_of_another_type_is_refused_with_both_types(tmp_path: Path, batches: Any) -> None:
    write(tmp_path / "f", batches, {"a": "STRING"}, [("x",)])
    with pytest.raises(TableException, match=r"column 'a' is written as Avro's .*string.*, which cannot be read as INT"):
        read(tmp_path / "f", batches, {"a": "INT"})


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"no avro", "not an Avro container file"), (b"Obj\x01\xff", "damaged header")],
)
def test_a_file_that_is_none_is_named(tmp_path: Path, batches: Any, content: bytes, message: str) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(TableRuntimeException, match=message):
        read(tmp_path / "f", batches, {"a": "INT"})


def test_a_file_that_is_cut_off_is_an_error(tmp_path: Path, batches: Any) -> None:
    write(tmp_path / "f", batches, {"a": "INT"}, [(1,)])
    (tmp_path / "f").write_bytes((tmp_path / "f").read_bytes()[:-5])
    with pytest.raises(TableRuntimeException, match="block 1: the block is truncated or damaged"):
        read(tmp_path / "f", batches, {"a": "INT"})


def test_messages_are_records_of_the_tables_schema(batches: Any) -> None:
    messages = batches.encode(AvroFormatFactory(), batches.columns, batches.rows)
    decoder = pickle.loads(pickle.dumps(batches.decoder(AvroFormatFactory(), batches.columns)))
    assert decoder.decode(messages).rows.equals(batches.batch(batches.columns, batches.rows))


def test_a_broken_message_is_named_and_shown(batches: Any) -> None:
    decoder = batches.decoder(AvroFormatFactory(), {"a": "STRING"})
    with pytest.raises(TableRuntimeException, match=r"partition 3, offset 17 is not a record .* begins with 0x0208ff"):
        decoder.decode(pa.array([b"\x02\x08\xff"]), lambda position: "partition 3, offset 17")


@pytest.mark.parametrize(
    "schema",
    [
        '{"type": "record", "name": "r", "fields": [{"name": "a", "type": {"type": "bytes", "logicalType": "decimal"}}]}',
        '{"type": "record"}',
    ],
)
def test_a_schema_in_which_something_is_missing_is_an_error(tmp_path: Path, batches: Any, schema: str) -> None:
    write(tmp_path / "f", batches, {"a": "INT"}, [(1,)], codec="null")
    header = (
        b"Obj\x01\x02\x16avro.schema" + bytes([len(schema) * 2 & 0x7F | 0x80, len(schema) * 2 >> 7]) + schema.encode() + b"\x00" + b"s" * 16
    )
    (tmp_path / "f").write_bytes(header)
    with pytest.raises(TableError, match="schema"):
        file_format("avro").infer_type(tmp_path / "f", {})


def test_messages_of_rows_without_columns_are_refused(batches: Any) -> None:
    with pytest.raises(ValidationException, match="The format 'avro' needs at least one column"):
        batches.encode(AvroFormatFactory(), {}, [])
    with pytest.raises(ValidationException, match="The format 'avro' needs at least one column"):
        batches.decoder(AvroFormatFactory(), {})
