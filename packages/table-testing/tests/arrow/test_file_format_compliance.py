"""The suite accepts a correct format of files, and finds each error that is planted in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, ClassVar

import pytest
from typing_extensions import override

from table_common.arrow import from_python_rows, import_batch, to_python_rows
from table_common.configuration import ReadableConfig
from table_common.connector import FileFormat, FileFormatWriter, FileReadContext, SupportsArrowArray
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.factories import FileFormatFactory, FormatFactory
from table_common.types import BigIntType, BooleanType, DoubleType, IntType, RowType, VarCharType
from table_testing import FileFormatCompliance

KNOWN = (BigIntType, BooleanType, DoubleType, IntType, VarCharType)


class Writer(FileFormatWriter):
    """Writes a JSON list per row."""

    def __init__(self, file: BinaryIO, row_type: RowType) -> None:
        self.file = file
        self.row_type = row_type

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        for row in to_python_rows([import_batch(batch)], self.row_type):
            self.file.write(json.dumps(list(row)).encode() + b"\n")

    @override
    def finish(self) -> None:
        self.file.write(b"end\n")


class Lines(FileFormat):
    """Lines of JSON with a last line that says that the file is complete."""

    @property
    @override
    def extension(self) -> str:
        return "lines"

    @override
    def read(self, file: BinaryIO, context: FileReadContext) -> Iterator[SupportsArrowArray]:
        *rows, last = file.read().split(b"\n")[:-1] or [b""]
        if last != b"end":
            raise TableRuntimeException(f"{context.file_name} is cut off.")
        yield from self.batches([tuple(json.loads(row)) for row in rows], context)

    def batches(self, rows: list[tuple[Any, ...]], context: FileReadContext) -> Iterator[SupportsArrowArray]:
        yield from_python_rows(rows, context.row_type)

    @override
    def create_writer(self, file: BinaryIO, row_type: RowType) -> FileFormatWriter:
        for field in row_type.fields:
            if not isinstance(field.type, KNOWN):
                raise TableException(f"Column '{field.name}' has the type {field.type.summary()}.")
        return Writer(file, row_type)


class LinesFactory(FileFormatFactory):
    format: ClassVar[type[FileFormat]] = Lines

    @property
    @override
    def factory_identifier(self) -> str:
        return "lines"

    def validate(self, options: Any) -> None:
        if options:
            raise ValidationException(f"Unknown options: {', '.join(options)}.")

    @override
    def create_file_format(self, options: ReadableConfig) -> FileFormat:
        return self.format()


class LosesRows(Lines):
    def batches(self, rows: list[tuple[Any, ...]], context: FileReadContext) -> Iterator[SupportsArrowArray]:
        return super().batches(rows[:1], context)


class Reverses(Lines):
    def batches(self, rows: list[tuple[Any, ...]], context: FileReadContext) -> Iterator[SupportsArrowArray]:
        return super().batches(rows[::-1], context)


class NamesColumnsByPosition(Lines):
    def batches(self, rows: list[tuple[Any, ...]], context: FileReadContext) -> Iterator[SupportsArrowArray]:
        for batch in super().batches(rows, context):
            columns = list(context.columns)
            yield import_batch(batch).select(range(len(columns))).rename_columns(columns)


class InventsRowsOfCutFiles(Lines):
    def read(self, file: BinaryIO, context: FileReadContext) -> Iterator[SupportsArrowArray]:
        data = file.read()
        lines = [line for line in data.split(b"\n") if line.endswith(b"]")]
        rows = [tuple(json.loads(line)) for line in lines]
        if not data.endswith(b"end\n"):
            rows.append((0, "invented", 0.0, False))
        return self.batches(rows, context)


class ClosesTheFile(Lines):
    def create_writer(self, file: BinaryIO, row_type: RowType) -> FileFormatWriter:
        writer = super().create_writer(file, row_type)
        writer.finish = file.close  # type: ignore[method-assign]  # the planted error
        return writer


class WritesAnyType(Lines):
    def create_writer(self, file: BinaryIO, row_type: RowType) -> FileFormatWriter:
        return Writer(file, row_type)


class InfersOtherColumns(Lines):
    def infer_type(self, file: BinaryIO) -> RowType | None:
        return RowType.of([("other", IntType())])


class DottedExtension(Lines):
    @property
    def extension(self) -> str:
        return ".lines"


def failing_tests(broken: type[FileFormat], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns the tests of the suite that fail for a format."""

    class Suite(FileFormatCompliance):
        factory = LinesFactory
        refused = ("DATE", "ARRAY<INT>")

    monkeypatch.setattr(LinesFactory, "format", broken)
    monkeypatch.setattr(FormatFactory, "discover", classmethod(lambda cls, name: LinesFactory()))
    failed = []
    for name in dir(Suite):
        if name.startswith("test_"):
            try:
                getattr(Suite(), name)()
            except Exception:
                failed.append(name)
    return failed


def test_a_correct_format_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert failing_tests(Lines, monkeypatch) == []


@pytest.mark.parametrize(
    ("broken", "test"),
    [
        (LosesRows, "test_what_is_written_is_read"),
        (Reverses, "test_batches_keep_their_order"),
        (NamesColumnsByPosition, "test_one_column_can_be_read_alone"),
        (InventsRowsOfCutFiles, "test_a_file_that_is_cut_off_is_an_error_or_gives_rows"),
        (ClosesTheFile, "test_the_file_stays_open"),
        (WritesAnyType, "test_types_without_a_form_are_refused_by_name"),
        (InfersOtherColumns, "test_what_is_inferred_can_be_read"),
        (DottedExtension, "test_files_have_an_extension"),
    ],
)
def test_a_planted_error_fails_the_test_about_it(broken: type[FileFormat], test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert test in failing_tests(broken, monkeypatch)


def test_a_factory_that_accepts_any_option_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LinesFactory, "validate", lambda self, options: None)
    assert failing_tests(Lines, monkeypatch) == ["test_unknown_options_are_refused"]
