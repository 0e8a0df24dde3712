"""Formats of whole files: what one has that only reads."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

import pytest

from table_common.connector import FileFormat, FileFormatWriter, FileReadContext, SupportsArrowArray
from table_common.exceptions import TableException
from table_common.types import IntType, RowType

ROW = RowType.of([("a", IntType()), ("b", IntType())])


class ReadOnly(FileFormat):
    @property
    def extension(self) -> str:
        return "pages"

    def read(self, file: BinaryIO, context: FileReadContext) -> Iterator[SupportsArrowArray]:
        return iter(())


class Nothing(FileFormatWriter):
    def write(self, batch: SupportsArrowArray) -> None:
        """Keeps nothing."""


def test_a_format_is_read_only_unless_it_makes_writers() -> None:
    with pytest.raises(TableException, match="Files with the extension 'pages' can only be read"):
        ReadOnly().create_writer(io.BytesIO(), ROW)


def test_files_have_no_type_of_their_own_by_default() -> None:
    assert ReadOnly().infer_type(io.BytesIO()) is None


def test_a_file_needs_no_end_by_default() -> None:
    assert Nothing().finish() is None


def test_contexts_are_equal_by_value() -> None:
    assert FileReadContext(ROW, ("a",), "x") == FileReadContext(ROW, ("a",), "x")
    assert FileReadContext(ROW, ("a",), "x") != FileReadContext(ROW, ("b",), "x")
