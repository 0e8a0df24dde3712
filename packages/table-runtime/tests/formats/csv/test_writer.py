"""Rows as CSV: what is written is read back, or refused with the value that CSV cannot hold."""

from __future__ import annotations

import gzip
import random
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.csv.rows import CsvRows
from table_runtime.formats.csv.writer import CsvEncoder, CsvWriter
from table_runtime.formats.skipped_rows import Ignored
from table_testing.rounds import rounds

UNQUOTED = {"disable-quote-character": "true"}
TYPES = ["STRING", "STRING", "INT", "ARRAY<STRING>", "ROW<x STRING, y INT>"]


def row_of(*types: str) -> RowType:
    return RowType.of([(f"c{number}", parse_logical_type(text)) for number, text in enumerate(types)], nullable=False)


def batch_of(row_type: RowType, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
    schema = to_arrow_schema(row_type)
    return pa.RecordBatch.from_arrays([pa.array([row[i] for row in rows], f.type) for i, f in enumerate(schema)], schema=schema)


def written(types: list[str], rows: list[tuple[Any, ...]], **options: str) -> list[str]:
    row_type = row_of(*types)
    lines: list[str] = CsvEncoder(row_type, ReadableConfig(options)).lines(batch_of(row_type, rows)).to_pylist()
    return lines


def read(types: list[str], lines: list[str], **options: str) -> list[tuple[Any, ...]]:
    row_type = row_of(*types)
    data = "".join(f"{line}\n" for line in lines).encode().removeprefix(b"\xef\xbb\xbf")
    columns, _ = CsvRows(row_type, row_type, ReadableConfig(options)).parse_block(data, plain=False, where=str, ignored=Ignored())
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def null_read_back(type_: str) -> Any:
    """Returns what a NULL is read as if no literal stands for it: an empty field."""
    return "" if type_ == "STRING" else [] if type_.startswith("ARRAY") else None


def test_any_text_is_read_back_or_refused_with_any_options() -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)

    def text() -> str | None:
        return (
            None if random_.random() < 0.15 else "".join(random_.choice("\ufeffan,;|\"'\\#\n\r \té") for _ in range(random_.randrange(4)))
        )

    def value(type_: str) -> Any:
        if type_ == "INT":
            return random_.choice([None, 1, -5])
        if type_ == "STRING":
            return text()
        return None if random_.random() < 0.1 else [text(), text()] if type_.startswith("ARRAY") else {"x": text(), "y": 3}

    seen = 0
    for _ in rounds(800):
        choices = {
            **UNQUOTED,
            "escape-character": "\\",
            "null-literal": random_.choice(["n", "a,a", '"']),
            "field-delimiter": random_.choice([";", "|", " ", "n"]),
            "allow-comments": "true",
            "array-element-delimiter": random_.choice([",", "|", ";;"]),
        }
        options = {key: choice for key, choice in choices.items() if random_.random() < 0.25}
        types = [random_.choice(TYPES) for _ in range(random_.randrange(1, 4))]
        rows = [tuple(value(type_) for type_ in types) for _ in range(2)]
        try:
            lines = written(types, rows, **options)
        except TableRuntimeException:
            continue
        seen += 1
        if "null-literal" not in options:
            rows = [tuple(null_read_back(t) if v is None else v for v, t in zip(row, types, strict=True)) for row in rows]
        assert read(types, lines, **options) == rows, (types, lines, options)
    assert seen > len(rounds(800)) / 3


@pytest.mark.parametrize("text", ["a,b", "a,", "a\nb", "a\r", "\ufeffa"])
def test_a_text_that_would_be_read_as_several_fields_is_refused_without_quotes(text: str) -> None:
    with pytest.raises(
        TableRuntimeException, match=r"cannot write .* in column 'c1' of the type STRING without a quote character"
    ) as failure:
        written(["INT", "STRING"], [(1, "x"), (2, text)], **UNQUOTED)
    assert repr(text) in failure.value.message


def test_an_escape_character_stands_for_quotes_if_there_are_none() -> None:
    lines = written(["STRING", "STRING"], [("a,b\\", "c\nd")], **{**UNQUOTED, "escape-character": "\\"})
    assert lines == ["a\\,b\\\\,c\\\nd"]


def test_a_line_that_would_be_a_comment_is_refused_without_quotes() -> None:
    with pytest.raises(TableRuntimeException, match="cannot write ' #a'"):
        written(["STRING"], [(" #a",)], **{**UNQUOTED, "allow-comments": "true"})
    assert written(["STRING"], [(" #a",)], **UNQUOTED) == [" #a"]


def test_a_literal_for_null_that_needs_quotes_has_them() -> None:
    assert written(["INT", "STRING"], [(None, "x")], **{"null-literal": "a,b"}) == ['"a,b",x']


def test_a_value_that_is_the_literal_for_null_is_refused() -> None:
    with pytest.raises(TableRuntimeException, match="cannot write 'N' in column 'c0'"):
        written(["STRING"], [("N",)], **{"null-literal": "N"})


def test_an_empty_line_is_quoted_or_refused() -> None:
    assert written(["INT"], [(None,), (1,)]) == ['""', "1"]
    with pytest.raises(TableRuntimeException, match="cannot write an empty value of the only column 'c0' of the type INT"):
        written(["INT"], [(None,)], **UNQUOTED)


def test_decimals_have_an_exponent_if_the_option_asks_for_it() -> None:
    rows = [(Decimal("100000.00"),), (None,)]
    assert written(["DECIMAL(10, 2)", "INT"], [(*row, 1) for row in rows]) == ["100000.00,1", ",1"]
    options = {"write-bigdecimal-in-scientific-notation": "true"}
    assert written(["DECIMAL(10, 2)", "INT"], [(*row, 1) for row in rows], **options) == ["1E+5,1", ",1"]


def test_a_slice_of_rows_has_the_parts_of_its_own_rows() -> None:
    row_type = row_of("ARRAY<INT>", "ROW<x INT, y STRING>")
    batch = batch_of(row_type, [([1], {"x": 1, "y": "a"}), ([2, 3], None), (None, {"x": 3, "y": "c"})])
    assert CsvEncoder(row_type, ReadableConfig({})).lines(batch.slice(1)).to_pylist() == ["2;3,", ",3;c"]


def test_a_file_has_a_line_for_each_row_and_the_compression_of_its_name(tmp_path: Path) -> None:
    row_type = row_of("INT", "STRING")
    writer = CsvWriter(tmp_path / "f.csv.gz", row_type, ReadableConfig({}))
    for rows in ([(1, "é")], [], [(2, "x"), (3, "y")]):
        writer.write(batch_of(row_type, rows))
    writer.close()
    assert gzip.decompress((tmp_path / "f.csv.gz").read_bytes()).decode() == "1,é\n2,x\n3,y\n"


@pytest.mark.parametrize("delimiter", ["-", ":", " ", "1", "t"])
def test_numbers_and_times_that_have_the_delimiter_are_quoted(delimiter: str) -> None:
    row = (-11, datetime(2024, 1, 11, 10, 11, 12), True, Decimal("-1.1"))
    (line,) = written(["INT", "TIMESTAMP(3)", "BOOLEAN", "DECIMAL(3, 1)"], [row], **{"field-delimiter": delimiter})
    texts = ["-11", "2024-01-11 10:11:12", "true", "-1.1"]
    assert line == delimiter.join(f'"{text}"' if delimiter in text or " " in text else text for text in texts)


def test_rows_of_a_slice_are_written_alone(tmp_path: Path) -> None:
    row_type = row_of("STRING", "INT")
    writer = CsvWriter(tmp_path / "rows.csv", row_type, ReadableConfig({}))
    batch = batch_of(row_type, [('a"', 1), ("é", 2), (None, 3), ("b,c", 4)])
    for part in (batch.slice(1, 2), batch.slice(0, 0), batch.slice(3)):
        writer.write(part)
    writer.close()
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8") == 'é,2\n,3\n"b,c",4\n'


@pytest.mark.parametrize("type_", ["ARRAY<TIMESTAMP(9)>", "ARRAY<TIMESTAMP_LTZ(9)>", "ARRAY<TIME(9)>", "ROW<x TIMESTAMP(9), y INT>"])
def test_a_refused_value_with_nanoseconds_is_named(type_: str) -> None:
    row_type = row_of(type_)
    arrow_type = to_arrow_schema(row_type).field(0).type
    if pa.types.is_struct(arrow_type):
        times = pa.array([1, None], pa.int64()).view(arrow_type.field(0).type)
        column: pa.Array = pa.StructArray.from_arrays([times, pa.array([1, None], pa.int32())], fields=list(arrow_type))
    else:
        column = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array([1, None], pa.int64()).view(arrow_type.value_type))
    batch = pa.RecordBatch.from_arrays([column.cast(arrow_type)], schema=to_arrow_schema(row_type))
    # The only NULL element would be read as a NULL array; the digits of the time would be read as several fields.
    options = {"array-element-delimiter": "0"} if pa.types.is_struct(arrow_type) else {"null-literal": "-"}
    with pytest.raises(TableRuntimeException, match="cannot write"):
        CsvEncoder(row_type, ReadableConfig(options)).lines(batch)
