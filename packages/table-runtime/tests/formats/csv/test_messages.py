from __future__ import annotations

import pickle
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.csv.factory import CsvFormatFactory
from table_runtime.formats.csv.rows import CsvRows

ROW_TYPE = RowType.of([(name, parse_logical_type(type_)) for name, type_ in (("a", "INT"), ("s", "STRING"))], nullable=False)


def decode(messages: list[bytes | None], **options: str) -> tuple[list[Any], list[int], int]:
    config = ReadableConfig({key.replace("_", "-"): value for key, value in options.items()})
    decoder = pickle.loads(pickle.dumps(CsvFormatFactory().create_decoding_format(config).create_runtime_decoder(ROW_TYPE)))
    result = decoder.decode(pa.array(messages, type=pa.binary()))
    positions = list(range(len(messages))) if result.positions is None else result.positions.to_pylist()
    return [tuple(row.values()) for row in result.rows.to_pylist()], positions, result.ignored


def test_messages_are_lines_and_may_have_line_breaks_in_quotes() -> None:
    assert decode([b"1,x", None, b'2,"a\nb"', b"", b"3,"]) == ([(1, "x"), (2, "a\nb"), (3, "")], [0, 2, 4], 0)


def test_rows_become_messages_and_rows_again() -> None:
    rows = [(1, 'a "b", c'), (None, "x")]
    schema = to_arrow_schema(ROW_TYPE)
    batch = pa.RecordBatch.from_arrays(
        [pa.array([row[i] for row in rows], type=field.type) for i, field in enumerate(schema)], schema=schema
    )
    encoder = CsvFormatFactory().create_encoding_format(ReadableConfig({})).create_runtime_encoder(ROW_TYPE)
    messages = pa.array(encoder.encode(batch)).to_pylist()
    assert messages[0] == b'1,"a ""b"", c"'
    assert decode(messages)[0] == rows


def test_a_message_of_another_width_is_an_error_or_is_read_as_far_as_possible() -> None:
    messages: list[bytes | None] = [b"1,x", b"2", b"3,y,z"]
    with pytest.raises(
        TableRuntimeException, match="Message 2: the record cannot be read: it has 1 fields, but the table has 2 columns: '2'"
    ):
        decode(messages)
    assert decode(messages, ignore_parse_errors="true") == ([(1, "x"), (2, None)], [0, 1], 1)


def test_a_value_that_is_none_is_named() -> None:
    with pytest.raises(TableRuntimeException, match="Message 2, column 'a': 'x' cannot be read as INT"):
        decode([b"1,x", b"x,y"])


def test_the_dialect_is_as_the_options_say() -> None:
    options = {"field_delimiter": ";", "null_literal": "N/A", "allow_comments": "true"}
    assert decode([b"1;N/A", b"# no row"], **options)[0] == [(1, None)]


def test_messages_of_another_width_do_not_make_the_others_be_split_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    split, original = [], CsvRows._at_once
    monkeypatch.setattr(CsvRows, "_at_once", lambda self, data: split.append(data) or original(self, data))
    assert decode([b"1,a", b"2", b"3,c"], ignore_parse_errors="true") == ([(1, "a"), (2, None), (3, "c")], [0, 1, 2], 0)
    assert len(split) == 1


def test_rows_without_columns_are_refused() -> None:
    none = RowType((), nullable=False)
    with pytest.raises(ValidationException, match="The format 'csv' needs at least one column"):
        CsvFormatFactory().create_encoding_format(ReadableConfig({})).create_runtime_encoder(none)
    with pytest.raises(ValidationException, match="The format 'csv' needs at least one column"):
        CsvFormatFactory().create_decoding_format(ReadableConfig({})).create_runtime_decoder(none)
