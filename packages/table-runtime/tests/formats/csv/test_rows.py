"""Blocks and messages of CSV as columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.csv.rows import CsvRows
from table_runtime.formats.skipped_rows import Ignored

COLUMNS = {"a": "INT", "b": "STRING", "c": "INT"}


def rows_of(columns: dict[str, str] | None = None, wanted: tuple[str, ...] | None = None, **options: str) -> CsvRows:
    row_type = RowType.of([(name, parse_logical_type(text)) for name, text in (columns or COLUMNS).items()], nullable=False)
    fields = {field.name: field for field in row_type.fields}
    chosen = RowType(tuple(fields[name] for name in (row_type.field_names if wanted is None else wanted)), nullable=False)
    return CsvRows(row_type, chosen, ReadableConfig(options))


def block(rows: CsvRows, data: bytes, *, plain: bool, ignored: Ignored | None = None) -> tuple[list[list[Any]], int]:
    columns, count = rows.parse_block(data, plain=plain, where=lambda line: f"line {line + 1}", ignored=ignored or Ignored())
    return [column.to_pylist() for column in columns], count


@pytest.mark.parametrize("plain", [True, False])
def test_columns_come_in_the_order_asked_for_and_rows_are_counted_without_any(plain: bool) -> None:
    data = b'1,x,2\n\n"3","y",4\n'
    assert block(rows_of(wanted=("c", "a")), data, plain=plain) == ([[2, 4], [1, 3]], 2)
    assert block(rows_of(wanted=()), data, plain=plain)[1] == 2


@pytest.mark.parametrize("plain", [True, False])
def test_an_empty_line_is_a_row_where_there_is_one_column(plain: bool) -> None:
    assert block(rows_of({"b": "STRING"}), b"x\n\ny\n", plain=plain) == ([["x", "", "y"]], 3)


@pytest.mark.parametrize("plain", [True, False])
def test_a_delimiter_at_the_end_of_a_line_is_no_field(plain: bool) -> None:
    assert block(rows_of({"a": "INT", "b": "STRING"}), b"1,x,\n2,y\n", plain=plain) == ([[1, 2], ["x", "y"]], 2)


@pytest.mark.parametrize("plain", [True, False])
def test_the_literal_for_null_counts_in_quotes_too(plain: bool) -> None:
    assert block(rows_of({"a": "INT", "b": "STRING"}, **{"null-literal": "-"}), b'-,"-"\n1,x\n', plain=plain) == (
        [[None, 1], [None, "x"]],
        2,
    )


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"1,x,2\r\n\r\n3,y,z\n", r"^line 3, column 'c': 'z' cannot be read as INT: it is not an integer"),
        (b'1,"x\ny",2\n3,y\n', r"^line 3: the record cannot be read: it has 2 fields, but the table has 3 columns: '3,y'"),
    ],
)
def test_an_error_names_the_line_where_the_record_begins(data: bytes, message: str, plain: bool) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        block(rows_of(), data, plain=plain)


def test_bytes_that_are_no_utf8_are_an_error_of_their_record() -> None:
    with pytest.raises(TableRuntimeException, match=r"^line 2: the record cannot be read: it is not UTF-8"):
        block(rows_of(), b"1,x,2\n1,\xff,2\n", plain=True)


def test_what_is_ignored_is_counted_with_the_first_example() -> None:
    ignored = Ignored()
    rows = rows_of(**{"ignore-parse-errors": "true"})
    assert block(rows, b"1,x,2\nz,y,\n3\n4,a,b,c,d\n", plain=False, ignored=ignored) == (
        [[1, None, 3], ["x", "y", None], [2, None, None]],
        3,
    )
    assert (ignored.rows, ignored.values) == (1, 1)
    assert ignored.first is not None
    assert ignored.first.startswith("line 4: the record cannot be read: it has 5 fields")


def messages(rows: CsvRows, *texts: bytes) -> tuple[list[list[Any]], list[int] | None]:
    columns, positions = rows.parse_messages(pa.array(texts, pa.binary()), lambda position: f"message {position}", Ignored())
    return [column.to_pylist() for column in columns], positions.to_pylist() if positions is not None else None


def test_messages_that_are_plain_lines_are_read_one_after_the_other() -> None:
    assert messages(rows_of(), b"1,x,2", b"3,,4") == ([[1, 3], ["x", ""], [2, 4]], None)


def test_no_messages_give_no_rows() -> None:
    assert messages(rows_of())[0] == [[], [], []]


def test_a_message_may_have_a_line_break_in_quotes_and_one_at_its_end() -> None:
    assert messages(rows_of(), b"1,x,2\n", b'3,"\n",4') == ([[1, 3], ["x", "\n"], [2, 4]], None)


def test_a_message_that_is_a_line_break_gives_no_row_unless_there_is_one_column() -> None:
    assert messages(rows_of(), b"\n", b"1,x,2") == ([[1], ["x"], [2]], [1])
    assert messages(rows_of({"b": "STRING"}), b"\n", b"x") == ([["", "x"]], None)


def test_a_message_with_two_records_is_refused() -> None:
    with pytest.raises(TableRuntimeException, match=r"^message 1 has 2 records, but a message must have one: '1,x,2\\n3,y,4'"):
        messages(rows_of(), b"1,x,2", b"1,x,2\n3,y,4")


def test_an_error_names_the_message() -> None:
    with pytest.raises(TableRuntimeException, match=r"^message 2, column 'a': 'q' cannot be read as INT"):
        messages(rows_of(), b"1,x,2", b"3,'',4", b"q,x,2")
