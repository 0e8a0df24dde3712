from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_runtime.formats.csv.factory import CsvFormatFactory


def test_fields_are_read_by_position_without_a_header(files: Any) -> None:
    assert files.read("csv", {"id": "INT", "s": "STRING"}, "1,a\n2,b\n") == [(1, "a"), (2, "b")]


def test_only_the_columns_wanted_come_out_in_the_order_asked_for(files: Any) -> None:
    assert files.read("csv", {"a": "INT", "b": "STRING", "c": "INT"}, "1,x,2\n", ["c", "a"]) == [(2, 1)]


def test_every_type_has_a_text(files: Any) -> None:
    columns = {
        "i": "TINYINT",
        "d": "DOUBLE",
        "m": "DECIMAL(6, 2)",
        "b": "BOOLEAN",
        "dt": "DATE",
        "t": "TIME(3)",
        "ts": "TIMESTAMP(3)",
        "tz": "TIMESTAMP_LTZ(3)",
        "by": "BYTES",
        "a": "ARRAY<INT>",
    }
    text = "-1, 1.5e2,12.345,TRUE,2020-02-29,12:34:56.5,2020-02-29 12:34:56.7899,2020-02-29 12:34:56Z,YWJj,1;2;3\n"
    assert files.read("csv", columns, text) == [
        (
            -1,
            150.0,
            Decimal("12.35"),
            True,
            date(2020, 2, 29),
            time(12, 34, 56, 500_000),
            datetime(2020, 2, 29, 12, 34, 56, 789_000),
            datetime(2020, 2, 29, 12, 34, 56, tzinfo=UTC),
            b"abc",
            [1, 2, 3],
        )
    ]


def test_quotes_enclose_delimiters_quotes_and_line_breaks(files: Any) -> None:
    assert files.read("csv", {"a": "STRING", "b": "INT"}, '"x,""y""\nz",1\n') == [('x,"y"\nz', 1)]


def test_options_change_what_separates_quotes_comments_and_stands_for_null(files: Any) -> None:
    text = "# comment\n1;'a;b'\n2;N/A\n"
    options = {"field_delimiter": ";", "quote_character": "'", "allow_comments": "true", "null_literal": "N/A"}
    assert files.read("csv", {"a": "INT", "b": "STRING"}, text, **options) == [(1, "a;b"), (2, None)]


def test_an_empty_field_is_empty_text_and_null_for_other_types(files: Any) -> None:
    assert files.read("csv", {"a": "STRING", "b": "INT"}, ",\n") == [("", None)]


def test_an_empty_file_has_no_rows(files: Any) -> None:
    assert files.read("csv", {"a": "STRING"}, "") == []
    assert files.read("csv", {"a": "STRING"}, "# only\n", allow_comments="true") == []


@pytest.mark.parametrize(
    ("columns", "text", "parts"),
    [
        ({"a": "INT", "b": "INT"}, "1,2\n3,x\n", ["line 2", "column 'b'", "'x'", "INT"]),
        ({"a": "TINYINT"}, "1\n300\n", ["line 2", "'300'", "out of range"]),
        ({"a": "DATE"}, "2020-13-01\n", ["'2020-13-01'", "DATE"]),
        ({"a": "BOOLEAN"}, "maybe\n", ["'maybe'", "neither true nor false"]),
        ({"a": "INT", "b": "INT"}, "1\n", ["1 fields", "2 columns"]),
        ({"a": "INT"}, "1,2\n", ["2 fields", "1 columns"]),
    ],
)
def test_an_error_names_file_line_column_and_value(files: Any, columns: dict[str, str], text: str, parts: list[str]) -> None:
    with pytest.raises(TableRuntimeException) as raised:
        files.read("csv", columns, text)
    assert all(part in str(raised.value) for part in [str(files.path), *parts]), raised.value


def test_errors_that_are_ignored_give_null_or_skip_the_row(files: Any) -> None:
    text = "1,a\nx,b\n3\n4,d,extra\n5,\n"
    rows = files.read("csv", {"id": "INT", "s": "STRING"}, text, ignore_parse_errors="true")
    assert sorted(rows, key=repr) == sorted([(1, "a"), (None, "b"), (3, None), (5, "")], key=repr)


def test_what_is_written_is_read_back(files: Any) -> None:
    columns = {"s": "STRING", "m": "DECIMAL(6, 2)", "ts": "TIMESTAMP(6)", "f": "FLOAT", "a": "ARRAY<STRING>", "b": "BOOLEAN"}
    rows = [
        ('a,"b"\nc', Decimal("-1.50"), datetime(2020, 1, 2, 3, 4, 5, 600), 0.5, ["x", "y"], True),
        (" padded ", None, None, None, [], None),
    ]
    text = files.write("csv", columns, rows)
    assert text == '"a,""b""\nc",-1.50,"2020-01-02 03:04:05.0006",0.5,x;y,true\n" padded ",,,,,\n'
    assert files.read("csv", columns) == rows


def test_null_is_an_empty_field_and_an_empty_text_is_quoted(files: Any) -> None:
    columns = {"i": "INT", "s": "STRING", "b": "BYTES", "a": "ARRAY<STRING>"}
    text = files.write("csv", columns, [(None, None, None, None), (1, "", b"", ["x"])])
    assert text == ',,,\n1,"","",x\n'
    assert files.read("csv", columns) == [(None, "", b"", []), (1, "", b"", ["x"])]


def test_with_a_literal_null_is_null_again_and_an_empty_text_is_not_quoted(files: Any) -> None:
    columns = {"i": "INT", "s": "STRING", "b": "BYTES", "a": "ARRAY<STRING>"}
    rows = [(None, None, None, None), (1, "", b"", ["x", None])]
    assert files.write("csv", columns, rows, null_literal="~") == "~,~,~,~\n1,,,x;~\n"
    assert files.read("csv", columns, null_literal="~") == rows


def test_a_map_has_no_text(files: Any) -> None:
    with pytest.raises(TableException, match="column 'm' of the type MAP"):
        files.read("csv", {"m": "MAP<STRING, INT>"}, "x\n")


@pytest.mark.parametrize(
    "options",
    [
        {"field-delimiter": ";;"},
        {"nope": "1"},
        {"ignore-parse-errors": "maybe"},
        {"quote-character": "'", "disable-quote-character": "true"},
    ],
)
def test_options_are_checked(options: dict[str, str]) -> None:
    with pytest.raises(ValidationException):
        CsvFormatFactory().validate(options)


@pytest.mark.parametrize(
    ("data", "columns", "hint"),
    [
        (
            b"a,b\n1,x\n",
            {"a": "INT", "b": "STRING"},
            "If the first record has the names of the columns, set the table's option 'csv.header' = 'true'.",
        ),
        (b"1,x\ny,x\n", {"a": "INT", "b": "STRING"}, "Set the table's option 'csv.ignore-parse-errors' to read such values as NULL"),
        (
            b"a,b,c\n1,x,2\n",
            {"a": "INT", "b": "STRING"},
            "The table must have all columns of the file, in their order, unless 'csv.header' = 'true'",
        ),
        (b"1,x\n1,x,2\n", {"a": "INT", "b": "STRING"}, "Set the table's option 'csv.ignore-parse-errors' to skip what cannot be read"),
        (b"1,\xe9\n", {"a": "INT", "b": "STRING"}, "'csv.encoding' says how the text is encoded, such as 'latin-1'"),
    ],
)
def test_the_hint_of_a_refused_record_is_about_its_first_cause(files: Any, data: bytes, columns: dict[str, str], hint: str) -> None:
    files.path.write_bytes(data)
    with pytest.raises(TableRuntimeException) as raised:
        files.read("csv", columns)
    assert f"hint: {hint}" in str(raised.value)
