"""Objects of JSON one by one: conversions, what is left out, and errors that name line, column and value."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.json.line_parser import LineParser, shown
from table_runtime.formats.skipped_rows import Ignored
from table_runtime.formats.text.forms import JSON_ISO


def parser_of(columns: dict[str, str], **arguments: Any) -> LineParser:
    return LineParser(RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False), "json", **arguments)


def parse(type_: str, value: str, **arguments: Any) -> Any:
    """Returns the value of the only field of an object."""
    columns, _ = parser_of({"a": type_}, **arguments).parse([f'{{"a":{value}}}'.encode()], lambda position: f"line {position + 1}")
    return columns[0].to_pylist()[0]


def test_each_row_knows_its_line_and_lines_without_objects_give_none() -> None:
    lines = [b'{"a":1}', None, b"", b" \t\r", b'[{"a":2},{"a":3}]', b"[]", b'\xef\xbb\xbf{"a":4}\r']
    columns, positions = parser_of({"a": "INT"}).parse(lines, str)
    assert (columns[0].to_pylist(), positions) == ([1, 2, 3, 4], [0, 4, 4, 6])


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("INT", "-0.9", 0),
        ("INT", "2147483647.9", None),
        ("INT", "1e3", 1000),
        ("INT", '" 7 "', 7),
        ("BIGINT", "9223372036854775807", 2**63 - 1),
        ("DECIMAL(38, 19)", "1234567890123456789.1234567890123456789", Decimal("1234567890123456789.1234567890123456789")),
        ("DOUBLE", '"NaN"', "nan"),
        ("STRING", "1e400", "1e400"),
        ("STRING", '[1.50,{"b":"\\u00e9"},null]', '[1.50,{"b":"é"},null]'),
        ("STRING", '"\\ud83d\\ude00"', "😀"),
        ("STRING", "null", None),
        ("ARRAY<STRING>", '[1,"x",null,[]]', ["1", "x", None, "[]"]),
        ("MAP<DATE, INT>", '{"1970-01-02":null}', [("1970-01-02", None)]),
        ("MULTISET<INT>", '{"5":2}', [(5, 2)]),
        ("ROW<x INT, y INT>", '{"y":2,"z":3}', {"x": None, "y": 2}),
        ("BOOLEAN", '"FALSE"', False),
    ],
)
def test_a_value_is_converted_to_the_type_of_its_column(type_: str, value: str, expected: Any) -> None:
    if type_ == "INT" and expected is None:
        with pytest.raises(TableRuntimeException, match="it is out of range"):
            parse(type_, value)
        return
    found = parse(type_, value)
    if type_.startswith("MAP"):
        found = [(str(key), item) for key, item in found]
    assert (str(found) if expected == "nan" else found) == expected


@pytest.mark.parametrize(
    ("type_", "value", "reason"),
    [
        ("INT", "true", "it is not a number"),
        ("INT", "[1]", "it is not a number"),
        ("TINYINT", "300", "it is out of range"),
        ("TINYINT", "1.5", "it is not an integer"),
        ("BIGINT", "1e19", "it is out of range"),
        ("DOUBLE", "{}", "it is not a number"),
        ("BOOLEAN", "1", "it is neither true nor false"),
        ("BOOLEAN", "[]", "it is not a single value"),
        ("DATE", "7", "it is not text"),
        ("BYTES", "1", "it is not text"),
        ("ARRAY<INT>", "{}", "it is not an array"),
        ("ARRAY<INT>", '"[1]"', "it is not an array"),
        ("ROW<x INT>", "[]", "it is not an object"),
        ("MAP<STRING, INT>", "[]", "it is not an object"),
        ("MAP<INT, INT>", '{"x":1}', "it is not an integer"),
    ],
)
def test_a_value_of_another_kind_is_an_error_or_null(type_: str, value: str, reason: str) -> None:
    with pytest.raises(TableRuntimeException, match=rf"^line 1, column 'a': .* cannot be read as .*: {reason}\."):
        parse(type_, value)
    ignored = Ignored()
    assert parse(type_, value, ignored=ignored) is None
    assert ignored.values == 1
    assert ignored.first is not None
    assert ignored.first.startswith("line 1: ")
    assert reason in ignored.first


def test_only_the_part_that_cannot_be_read_is_null_when_errors_are_ignored() -> None:
    assert parse("ARRAY<INT>", '[1,"x",3]', ignored=Ignored()) == [1, None, 3]
    assert parse("ROW<x INT, y INT>", '{"x":"q","y":2}', ignored=Ignored()) == {"x": None, "y": 2}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "is not a JSON object"),
        (b'{"a":1} {"a":2}', "is not a JSON object: Extra data"),
        (b"7", "it is not an object"),
        (b'{"a":NaN}', 'NaN is not a JSON number; write it in quotes: "NaN"'),
        (b'{"a":"\\ud83d"}', "a string has half of a surrogate pair"),
        (b'{"a":"\xff"}', "is not a JSON object"),
        (b'{"a":01}', "is not a JSON object"),
    ],
)
def test_a_line_that_is_no_object_is_an_error_or_left_out(line: bytes, reason: str) -> None:
    with pytest.raises(TableRuntimeException, match=f"^line 2: .*{reason}") as failure:
        parser_of({"a": "STRING"}).parse([b"{}", line], lambda position: f"line {position + 1}")
    assert (
        failure.value.hint
        == "Set the table's option 'json.ignore-parse-errors' to skip what cannot be read (read_json: ignore_parse_errors => TRUE)."
    )
    ignored = Ignored()
    columns, positions = parser_of({"a": "STRING"}, ignored=ignored).parse([b"{}", line, b'{"a":"x"}'], str)
    assert (columns[0].to_pylist(), positions, ignored.rows) == ([None, "x"], [0, 2], 1)


def test_a_field_that_must_be_there_is_named_at_any_depth() -> None:
    with pytest.raises(TableRuntimeException, match=r"^line 1: the field 'y' is missing"):
        parse("ROW<x INT, y INT>", '{"x":1}', fail_on_missing=True)


def test_timestamps_have_the_form_asked_for() -> None:
    assert str(parse("TIMESTAMP(3)", '"2020-01-02T03:04"', forms=JSON_ISO)) == "2020-01-02 03:04:00"


def test_a_type_without_a_form_is_refused_with_its_column() -> None:
    with pytest.raises(TableException, match="does not support column 'b' of the type INTERVAL DAY"):
        parser_of({"a": "INT", "b": "ARRAY<INTERVAL DAY TO SECOND(3)>"})


def test_a_long_text_is_cut_in_messages() -> None:
    assert shown("x" * 200) == "x" * 200
    assert shown("x" * 201) == "x" * 200 + "…"


def test_objects_of_an_array_are_read_although_other_items_are_ignored() -> None:
    lines = [b'[{"a":1},2,{"a":3},null]', b"[1,2]"]
    ignored = Ignored()
    columns, positions = parser_of({"a": "INT"}, ignored=ignored).parse(lines, str)
    assert (columns[0].to_pylist(), positions) == ([1, 3], [0, 0])
    assert str(ignored) == '4 rows dropped; the first: 0: [{"a":1},2,{"a":3},null] is not a JSON object: it is not an object'
    with pytest.raises(TableRuntimeException, match=r"^0: .* is not a JSON object: it is not an object"):
        parser_of({"a": "INT"}).parse(lines, str)


def test_control_characters_in_strings_are_read() -> None:
    assert parse("STRING", '"a\tb\x01\n"') == "a\tb\x01\n"
