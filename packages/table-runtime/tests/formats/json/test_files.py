from __future__ import annotations

import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats import file_format
from table_runtime.formats.json.line_parser import LineParser
from table_runtime.formats.json.vectors import VectorParser

COLUMNS = {
    "id": "INT",
    "r": "ROW<a INT, b STRING>",
    "l": "ARRAY<INT>",
    "m": "MAP<STRING, DOUBLE>",
    "d": "DATE",
    "t": "TIME(0)",
    "ts": "TIMESTAMP(3)",
    "tz": "TIMESTAMP_LTZ(3)",
    "b": "BOOLEAN",
    "n": "DECIMAL(10, 2)",
    "by": "BYTES",
    "f": "FLOAT",
}
LINE = (
    '{"id": 1, "r": {"a": 1, "b": "x"}, "l": [1, null], "m": {"k": 1.5, "j": 2}, "d": "2020-02-29", "t": "12:34:56", '
    '"ts": "2020-02-29 12:34:56.789", "tz": "2020-02-29 12:34:56.789Z", "b": true, "n": 12.345, "by": "YWJj", "f": 1.5, "other": {}}'
)
ROW = (
    1,
    {"a": 1, "b": "x"},
    [1, None],
    [("k", 1.5), ("j", 2.0)],
    date(2020, 2, 29),
    time(12, 34, 56),
    datetime(2020, 2, 29, 12, 34, 56, 789_000),
    datetime(2020, 2, 29, 12, 34, 56, 789_000, tzinfo=UTC),
    True,
    Decimal("12.35"),
    b"abc",
    1.5,
)


def test_every_type_is_read_by_name(files: Any) -> None:
    assert files.read("json", COLUMNS, LINE + "\n\n{}\n") == [ROW, (None,) * len(COLUMNS)]


def test_only_the_columns_wanted_come_out(files: Any) -> None:
    assert files.read("json", COLUMNS, LINE, ["f", "id"]) == [(1.5, 1)]


@pytest.mark.parametrize(("text", "line"), [("null\n", 1), ('{"other":1}\nnull\n', 2)])
def test_a_line_of_null_is_an_error_also_if_no_column_is_read_of_the_other_lines(files: Any, text: str, line: int) -> None:
    with pytest.raises(TableRuntimeException, match=rf"line {line}: .*null"):
        files.read("json", {"a": "INT", "b": "INT"}, text, ["b"])


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("INT", '"12"', 12),
        ("INT", "1.9", 1),
        ("STRING", "1.50", "1.50"),
        ("STRING", "true", "true"),
        ("STRING", '{"a": [1, 2.5]}', '{"a":[1,2.5]}'),
        ("BOOLEAN", '"TRUE"', True),
        ("DOUBLE", '"1.5"', 1.5),
        ("DECIMAL(10, 2)", '"7.1"', Decimal("7.10")),
        ("DECIMAL(38, 10)", "12345678901234567890.0123456789", Decimal("12345678901234567890.0123456789")),
        ("TIMESTAMP(3)", '"2020-01-02 03:04:05.6789"', datetime(2020, 1, 2, 3, 4, 5, 678_000)),
        ("MULTISET<STRING>", '{"a": 2}', [("a", 2)]),
        ("MAP<INT, STRING>", '{"1": "x"}', [(1, "x")]),
    ],
)
def test_values_of_other_forms_are_converted(files: Any, type_: str, value: str, expected: Any) -> None:
    assert files.read("json", {"a": type_}, f'{{"a": {value}}}') == [(expected,)]


@pytest.mark.parametrize(
    ("columns", "line", "parts"),
    [
        ({"id": "INT"}, '{"id": "oops"}', ["column 'id'", '"oops"', "INT"]),
        ({"id": "INT"}, "{broken", ["{broken", "not a JSON object"]),
        ({"id": "INT"}, "[1]", ["not a JSON object"]),
        ({"id": "TINYINT"}, '{"id": 300}', ["300", "out of range"]),
        ({"d": "DATE"}, '{"d": "2020-02-30"}', ["column 'd'", "DATE"]),
        ({"r": "ROW<a INT>"}, '{"r": 5}', ["column 'r'", "not an object"]),
    ],
)
def test_an_error_names_file_line_column_and_value(files: Any, columns: dict[str, str], line: str, parts: list[str]) -> None:
    with pytest.raises(TableRuntimeException) as raised:
        files.read("json", columns, f"{{}}\n{line}\n")
    assert all(part in str(raised.value) for part in [str(files.path), "line 2", *parts]), raised.value


def test_errors_that_are_ignored_give_null_or_skip_the_line(files: Any) -> None:
    text = '{"id":1,"s":"ok"}\n{"id":"oops","s":"x"}\n{broken\n{"id":4,"s":"fine","extra":1}\n'
    assert files.read("json", {"id": "INT", "s": "STRING"}, text, ignore_parse_errors="true") == [(1, "ok"), (None, "x"), (4, "fine")]


def test_a_missing_field_is_null_or_an_error(files: Any) -> None:
    assert files.read("json", {"a": "INT", "b": "INT"}, '{"a": 1}') == [(1, None)]
    with pytest.raises(TableRuntimeException, match="the field 'b' is missing"):
        files.read("json", {"a": "INT", "b": "INT"}, '{"a": 1}', fail_on_missing_field="true")


def test_blocks_read_as_a_whole_give_what_single_lines_give() -> None:
    columns = {name: type_ for name, type_ in COLUMNS.items() if name not in ("m", "by")}
    row_type = RowType.of([(name, parse_logical_type(type_)) for name, type_ in columns.items()], nullable=False)
    value = {**json.loads(LINE), "n": 12.34}
    block = "\n".join(json.dumps({**value, "id": number}) for number in range(100)).encode()
    vectors = VectorParser.of(row_type)
    assert vectors is not None
    found = vectors.parse(block)
    lines, positions = LineParser(row_type, "json").parse(block.split(b"\n"), str)
    assert positions == list(range(100))
    assert found is not None
    assert [column.to_pylist() for column in found.columns] == [column.to_pylist() for column in lines]


def test_what_is_written_is_read_back(files: Any) -> None:
    text = files.write("json", COLUMNS, [ROW, (None,) * len(COLUMNS)])
    assert files.read("json", COLUMNS) == [ROW, (None,) * len(COLUMNS)]
    assert text.splitlines()[0] == (
        '{"id":1,"r":{"a":1,"b":"x"},"l":[1,null],"m":{"k":1.5,"j":2.0},"d":"2020-02-29","t":"12:34:56",'
        '"ts":"2020-02-29 12:34:56.789","tz":"2020-02-29 12:34:56.789Z","b":true,"n":12.35,"by":"YWJj","f":1.5}'
    )


def test_timestamps_are_written_in_the_standard_chosen(files: Any) -> None:
    options = {"timestamp_format.standard": "ISO-8601"}
    assert files.write("json", {"ts": "TIMESTAMP(0)"}, [(datetime(2020, 1, 2, 3, 4, 5),)], **options) == '{"ts":"2020-01-02T03:04:05"}\n'


def test_null_fields_are_left_out_if_asked_for(files: Any) -> None:
    assert files.write("json", {"a": "INT", "b": "INT"}, [(1, None)], **{"encode.ignore_null_fields": "true"}) == '{"a":1}\n'


@pytest.mark.parametrize("text", ["", "\n", "  ", "\n \n"])
def test_a_file_of_blank_lines_does_not_say_its_columns(files: Any, text: str) -> None:
    files.path.write_text(text)
    assert file_format("json").infer_type(files.path, {}) is None


@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_the_columns_of_an_array_are_those_of_its_objects(files: Any, start: str) -> None:
    files.path.write_text(start + '[{"a": 1, "b": "x"}, {"a": 2.5}]\n\n[]\n{"c": true}\n')
    found = file_format("json").infer_type(files.path, {})
    assert found is not None
    assert [str(field) for field in found.fields] == ["`a` DOUBLE", "`b` STRING", "`c` BOOLEAN"]


@pytest.mark.parametrize("text", ['{\n  "a": 1\n}\n', '[\n  {"a": 1}\n]\n', '[{\n  "a": 1\n}]\n', '[{"a": 1},\n {"a": 2}]\n'])
def test_a_document_over_several_lines_is_refused_in_words(files: Any, text: str) -> None:
    files.path.write_text(text)
    with pytest.raises(TableRuntimeException, match=r"line 1: .* a document over several lines is not read, only an object, or an array"):
        file_format("json").infer_type(files.path, {})
