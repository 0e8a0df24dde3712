"""Files of lines: blocks, ranges, and messages that are lines."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableException, TableRuntimeException
from table_common.factories import FormatFactory
from table_common.types import RowType, parse_logical_type
from table_runtime.formats import lines as module
from table_runtime.formats.file_format import ReadTask
from table_runtime.formats.lines import FirstLine, LineFileFormat, line_blocks, split_lines


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "f"


@pytest.mark.parametrize("size", [1, 2, 5, 100])
@pytest.mark.parametrize("data", [b"", b"\n", b"a\nbb\n\nccc\n", b"a\nbb", b"a\n ", b"\r\n\r"])
def test_blocks_are_the_file_and_end_with_lines(path: Path, monkeypatch: pytest.MonkeyPatch, size: int, data: bytes) -> None:
    monkeypatch.setattr(module, "BLOCK_BYTES", size)
    path.write_bytes(data)
    blocks = list(line_blocks(path, "raw"))
    assert b"".join(blocks) == data
    assert all(block.endswith(b"\n") for block in blocks[:-1])


@pytest.mark.parametrize("size", [1, 3, 100])
def test_ranges_have_each_line_once(path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(module, "BLOCK_BYTES", size)
    data = b"a\nbb\n\nccc\nd"
    path.write_bytes(data)
    for first in range(len(data) + 1):
        for second in range(first, len(data) + 1):
            bounds = [(0, first), (first, second), (second, len(data))]
            parts = [b"".join(line_blocks(path, "raw", bound)) for bound in bounds]
            assert b"".join(parts) == data, (first, second, parts)
            for bound, part in zip(bounds, parts, strict=True):
                if part:
                    start = b"".join(parts[: bounds.index(bound)])
                    assert FirstLine(path, bound).number == start.count(b"\n") + 1


def test_the_first_line_of_a_file_without_a_range_is_one(path: Path) -> None:
    assert FirstLine(path, None).number == 1


def test_a_compressed_file_is_read_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "f.gz"
    path.write_bytes(gzip.compress(b"a\nb"))
    assert b"".join(line_blocks(path, "raw")) == b"a\nb"


def test_a_file_that_cannot_be_read_is_named_with_its_format(path: Path) -> None:
    with pytest.raises(TableRuntimeException, match=f"The raw file '{path}' cannot be read"):
        list(line_blocks(path, "raw"))


@pytest.mark.parametrize(
    ("block", "expected"), [(b"a\n\nb\n", [b"a", b"", b"b"]), (b"a", [b"a"]), (b"\n", [b""]), (b"a\r\n", [b"a\r"]), (b" ", [b" "])]
)
def test_a_line_break_ends_a_line(block: bytes, expected: list[bytes]) -> None:
    assert split_lines(block).to_pylist() == expected


def row_of(**columns: str) -> RowType:
    return RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)


def read(path: Path, format_: str, row_type: RowType, columns: tuple[str, ...] | None = None, **options: Any) -> list[tuple[Any, ...]]:
    task = ReadTask(path, row_type, row_type.field_names if columns is None else columns, **options)
    batches = [piece() for piece in LineFileFormat(FormatFactory.discover(format_)).read(task)]
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("data", [b"x\n\n ", b"x\n\n \n"])
def test_each_line_is_a_message_also_a_blank_one_at_the_end(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert read(path, "raw", row_of(a="STRING")) == [("x",), ("",), (" ",)]


def test_changes_have_metadata_and_row_kinds_behind_the_columns(path: Path) -> None:
    path.write_text('{"after":{"a":1,"b":2},"op":"c","ts_ms":0}\n\n{"before":{"a":1,"b":2},"op":"d"}')
    found = read(path, "debezium-json", row_of(a="INT", b="INT"), ("b",), metadata={"t": "ingestion-timestamp"})
    assert [(row[0], str(row[1]), row[2]) for row in found] == [(2, "1970-01-01 00:00:00+00:00", 0), (2, "None", 3)]


def test_an_error_names_the_line_counted_over_all_blocks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK_BYTES", 30)
    path.write_text('{"after":{"a":1},"op":"c"}\n' * 4 + "?\n")
    with pytest.raises(TableRuntimeException, match=f"^The debezium-json file '{path}', line 5: "):
        read(path, "debezium-json", row_of(a="INT"))


def test_what_is_ignored_is_counted_for_the_file(path: Path) -> None:
    path.write_text('?\n{"after":{"a":1},"op":"c"}\n!\n')
    task = ReadTask(path, row_of(a="INT"), ("a",), {"ignore-parse-errors": "true"})
    batches = [piece() for piece in LineFileFormat(FormatFactory.discover("debezium-json")).read(task)]
    assert [batch.num_rows for batch in batches] == [1]
    assert task.ignored.rows == 2
    assert task.ignored.first is not None
    assert task.ignored.first.startswith(f"The debezium-json file '{path}', line 1: ")


def write(path: Path, value: Any, type_: str = "STRING") -> None:
    row_type = row_of(a=type_)
    writer = LineFileFormat(FormatFactory.discover("raw")).open_writer(path, row_type, {})
    try:
        writer.write(pa.record_batch([pa.array([value], pa.string() if type_ == "STRING" else pa.int32())], names=["a"]))
    finally:
        writer.close()


def test_what_is_written_is_read_back(path: Path) -> None:
    write(path, " é")
    assert path.read_bytes() == b" \xc3\xa9\n"
    assert read(path, "raw", row_of(a="STRING")) == [(" é",)]


@pytest.mark.parametrize(
    ("value", "type_", "reason"),
    [
        ("a\nb", "STRING", "has a line break in it, but each line of a file is a row"),
        (None, "STRING", "is NULL, but an empty line is an empty value"),
        (10, "INT", "has a line break in it"),
    ],
)
def test_a_row_that_is_no_line_is_refused(path: Path, value: Any, type_: str, reason: str) -> None:
    with pytest.raises(TableRuntimeException, match=rf"^A row \(a {type_}\) in the format 'raw' {reason}") as failure:
        write(path, value, type_)
    assert "parquet" in (failure.value.hint or "")


class ReadsNothing(FormatFactory):
    """A format that can neither be read nor written."""

    @property
    def factory_identifier(self) -> str:
        return "nothing"


def test_a_format_that_cannot_be_read_or_written_says_so(path: Path) -> None:
    with pytest.raises(TableException, match="The format 'nothing' can only be written"):
        list(LineFileFormat(ReadsNothing()).read(ReadTask(path, row_of(a="INT"), ("a",))))
    with pytest.raises(TableException, match="The format 'nothing' can only be read"):
        LineFileFormat(ReadsNothing()).open_writer(path, row_of(a="INT"), {})
