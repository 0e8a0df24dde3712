"""What a reader of files is asked for, and what writers do when they are given up."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pyarrow as pa
import pytest

from table_common.types import RowType, parse_logical_type
from table_runtime.formats.file_format import FileFormat, FileWriter, ReadTask, is_local_file

ROW = RowType.of([("a", parse_logical_type("INT")), ("b", parse_logical_type("STRING")), ("c", parse_logical_type("DATE"))], nullable=False)


def test_the_schema_of_a_task_is_that_of_its_columns_in_their_order() -> None:
    task = ReadTask(Path("f"), ROW, ("c", "a"))
    assert task.wanted.field_names == ("c", "a")
    assert not task.wanted.nullable
    assert task.schema == pa.schema([("c", pa.date32()), ("a", pa.int32())])


def test_a_column_that_the_file_does_not_declare_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="d"):
        _ = ReadTask(Path("f"), ROW, ("d",)).wanted


def test_tasks_count_what_they_ignore_apart_and_are_equal_all_the_same() -> None:
    first, second = ReadTask(Path("f"), ROW, ("a",)), ReadTask(Path("f"), ROW, ("a",))
    first.ignored.row("x")
    assert (first.ignored.rows, second.ignored.rows) == (1, 0)
    assert first == second


class Failing(FileWriter):
    closed = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Drops the rows."""

    def close(self) -> None:
        self.closed += 1
        raise OSError("the disk is full")


def test_a_file_that_is_given_up_is_closed_whatever_that_says() -> None:
    writer = Failing()
    writer.abandon()
    assert writer.closed == 1


@pytest.mark.parametrize(("path", "local"), [(Path("f"), True), (PurePosixPath("f"), False), ("f", False)])
def test_only_paths_of_this_machine_are_local(path: object, local: bool) -> None:
    assert is_local_file(path) is local


class Plain(FileFormat):
    extension = "plain"

    def read(self, task: ReadTask):  # type: ignore[no-untyped-def]  # never called
        raise NotImplementedError

    def open_writer(self, path: Path, row_type: RowType, options):  # type: ignore[no-untyped-def]  # never called
        raise NotImplementedError


def test_a_format_can_neither_be_split_nor_say_its_columns_unless_it_says_so() -> None:
    format_ = Plain()
    assert not format_.can_split(Path("f"), {})
    assert format_.infer_type(Path("f"), {}) is None
    assert not format_.names_columns
