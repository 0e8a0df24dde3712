from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.raw import RawFormatFactory


def row_of(text: str) -> RowType:
    return RowType.of([("a", parse_logical_type(text))], nullable=False)


def decode(text: str, messages: list[bytes | None], **options: str) -> list[Any]:
    format_ = RawFormatFactory().create_decoding_format(ReadableConfig(options))
    rows = pa.record_batch(format_.create_runtime_decoder(row_of(text)).decode(pa.array(messages, type=pa.binary())).rows)
    return rows.column(0).to_pylist()


def encode(text: str, values: list[Any], **options: str) -> list[bytes | None]:
    schema = to_arrow_schema(row_of(text))
    batch = pa.RecordBatch.from_arrays([pa.array(values, type=schema[0].type)], schema=schema)
    return pa.array(
        RawFormatFactory().create_encoding_format(ReadableConfig(options)).create_runtime_encoder(row_of(text)).encode(batch)
    ).to_pylist()


@pytest.mark.parametrize("options", [{}, {"endianness": "little-endian", "charset": "ISO-8859-1"}])
@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("STRING", ["ä", "", None]),
        ("BYTES", [b"a", None]),
        ("BOOLEAN", [True, False, None]),
        ("TINYINT", [-1]),
        ("SMALLINT", [-2]),
        ("INT", [1, -2, None]),
        ("BIGINT", [2**40]),
        ("FLOAT", [1.5]),
        ("DOUBLE", [1.5, None]),
    ],
)
def test_values_become_messages_and_values_again(type_: str, values: list[Any], options: dict[str, str]) -> None:
    assert decode(type_, encode(type_, values, **options), **options) == values


def test_the_order_of_bytes_and_the_charset_are_as_the_options_say() -> None:
    assert encode("INT", [1]) == [b"\0\0\0\1"]
    assert encode("INT", [1], endianness="little-endian") == [b"\1\0\0\0"]
    assert encode("STRING", ["ä"], charset="ISO-8859-1") == [b"\xe4"]


def test_a_message_of_another_length_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match=r"Message 2 has 1 bytes \(0x02\), but INT has 4"):
        decode("INT", [b"\0\0\0\1", b"\2"])


def test_text_of_another_charset_is_an_error_with_a_hint() -> None:
    with pytest.raises(TableRuntimeException, match=r"Message 1 is not text in utf-8: .* at byte 0 of 0xe4"):
        decode("STRING", [b"\xe4"])


def test_exactly_one_column_of_a_simple_type_is_taken() -> None:
    two = RowType.of([("a", parse_logical_type("INT")), ("b", parse_logical_type("INT"))])
    with pytest.raises(ValidationException, match="exactly one column"):
        RawFormatFactory().create_decoding_format(ReadableConfig({})).create_runtime_decoder(two)
    with pytest.raises(TableException, match="does not support values of the type DATE"):
        decode("DATE", [])


def test_a_charset_that_does_not_exist_is_refused_with_the_options() -> None:
    with pytest.raises(ValidationException, match=r"raw.charset.*UTF-99"):
        RawFormatFactory().validate({"charset": "UTF-99"})


def test_files_are_read_line_by_line(files: Any) -> None:
    assert files.read("raw", {"a": "STRING"}, "x\n\ny") == [("x",), ("",), ("y",)]
