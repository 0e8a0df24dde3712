"""Formats of files from plug-ins: their batches brought to the declared types, and their errors named for the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pytest

from table_common.configuration import ReadableConfig
from table_common.connector import FileFormat, FileFormatWriter, FileReadContext
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.factories import FileFormatFactory
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.file_format import ReadTask
from table_runtime.formats.plugin_format import PluggedFileFormat


class ColumnWriter(FileFormatWriter):
    def __init__(self, file: BinaryIO) -> None:
        self.file = file

    def write(self, batch: Any) -> None:
        columns = pa.record_batch(batch).to_pydict()
        if 13 in columns.get("a", ()):
            raise ZeroDivisionError("thirteen")
        self.file.write(json.dumps(columns).encode() + b"\n")

    def finish(self) -> None:
        self.file.write(b"END")


class Columns(FileFormat):
    """A batch a line, as JSON of columns."""

    extension = "cols"  # type: ignore[assignment]  # a property of the class it overrides

    def read(self, file: BinaryIO, context: FileReadContext) -> Iterator[Any]:
        for line in file:
            if line != b"END":
                yield pa.record_batch(json.loads(line))

    def create_writer(self, file: BinaryIO, row_type: RowType) -> FileFormatWriter:
        if not row_type.fields:
            raise ValueError("no columns")
        return ColumnWriter(file)

    def infer_type(self, file: BinaryIO) -> RowType | None:
        return RowType.of([(name, parse_logical_type("INT")) for name in json.loads(file.readline())])


class ColumnsFactory(FileFormatFactory):
    @property
    def factory_identifier(self) -> str:
        return "columns"

    def create_file_format(self, options: ReadableConfig) -> FileFormat:
        return Columns()


ROW = RowType.of([("a", parse_logical_type("INT")), ("b", parse_logical_type("STRING"))], nullable=False)
FORMAT = PluggedFileFormat(ColumnsFactory())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "f"


def read(path: Path, *columns: str, nulls: bool = False) -> list[pa.RecordBatch]:
    return [piece() for piece in FORMAT.read(ReadTask(path, ROW, columns, nulls_for_missing_columns=nulls))]


def test_batches_have_the_columns_asked_for_with_the_declared_types(path: Path) -> None:
    path.write_text('{"b": ["x", null], "more": [1, 2], "a": [1, 2]}\n{"a": [], "b": []}\n{"a": [3], "b": ["y"]}\n')
    batches = read(path, "b", "a")
    assert [batch.schema for batch in batches] == [pa.schema([("b", pa.string()), ("a", pa.int32())])] * 3
    assert [batch.to_pylist() for batch in batches] == [[{"b": "x", "a": 1}, {"b": None, "a": 2}], [], [{"b": "y", "a": 3}]]


def test_rows_are_counted_where_no_column_is_asked_for(path: Path) -> None:
    path.write_text('{"a": [1, 2]}\n')
    assert [batch.num_rows for batch in read(path)] == [2]


def test_a_missing_column_is_an_error_or_null(path: Path) -> None:
    path.write_text('{"a": [1]}\n')
    with pytest.raises(ValidationException, match=f"^Column 'b' does not exist in the columns file '{path}'"):
        read(path, "b")
    assert read(path, "b", nulls=True)[0].to_pylist() == [{"b": None}]


def test_a_column_of_another_type_is_an_error_that_names_it_and_the_file(path: Path) -> None:
    path.write_text('{"a": ["x"], "b": ["y"]}\n')
    with pytest.raises(ValidationException, match=f"^Column 'a' of the columns file '{path}' is declared as INT, .* string"):
        read(path, "a")


def test_a_value_that_does_not_fit_is_an_error(path: Path) -> None:
    path.write_text('{"a": [3000000000], "b": ["y"]}\n')
    with pytest.raises(TableRuntimeException, match=r"does not fit INT: .*3000000000"):
        read(path, "a")


def test_an_error_of_the_format_names_the_file_and_the_batches_before_are_read(path: Path) -> None:
    path.write_text('{"a": [1], "b": ["x"]}\n{broken\n')
    pieces = FORMAT.read(ReadTask(path, ROW, ("a",)))
    assert next(pieces)().to_pylist() == [{"a": 1}]
    with pytest.raises(TableRuntimeException, match=f"^The columns file '{path}' cannot be read or written: JSONDecodeError: "):
        next(pieces)


def test_a_file_that_cannot_be_opened_is_named(path: Path) -> None:
    with pytest.raises(TableRuntimeException, match=f"^The columns file '{path}' cannot be read or written: FileNotFoundError"):
        read(path, "a")
    with pytest.raises(TableRuntimeException, match=f"^The columns file '{path}' cannot be read or written: FileNotFoundError"):
        FORMAT.infer_type(path, {})


def test_columns_are_those_that_the_format_infers(path: Path) -> None:
    path.write_text('{"x": [], "y": []}\n')
    inferred = FORMAT.infer_type(path, {})
    assert inferred is not None
    assert inferred.field_names == ("x", "y")


def test_a_file_is_ended_when_its_writer_is_closed(path: Path) -> None:
    writer = FORMAT.open_writer(path, ROW, {})
    writer.write(pa.record_batch({"a": pa.array([1], pa.int32()), "b": ["x"]}))
    writer.close()
    assert path.read_text() == '{"a": [1], "b": ["x"]}\nEND'
    assert FORMAT.extension == "cols"


def test_a_file_is_not_ended_after_a_failure(path: Path) -> None:
    writer = FORMAT.open_writer(path, ROW, {})
    with pytest.raises(TableRuntimeException, match=f"^The columns file '{path}' cannot be read or written: ZeroDivisionError: thirteen"):
        writer.write(pa.record_batch({"a": pa.array([13], pa.int32()), "b": ["x"]}))
    writer.close()
    assert path.read_text() == ""


def test_a_writer_that_cannot_be_made_is_an_error(path: Path) -> None:
    with pytest.raises(TableRuntimeException, match="ValueError: no columns"):
        FORMAT.open_writer(path, RowType.of([]), {})
