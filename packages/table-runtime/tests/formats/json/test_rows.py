"""Blocks and messages of JSON as columns, at once or one by one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.json.rows import JsonRows, join_messages
from table_runtime.formats.skipped_rows import Ignored


def rows_of(columns: dict[str, str], **arguments: Any) -> JsonRows:
    return JsonRows(RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False), "json", **arguments)


def messages(rows: JsonRows, texts: list[bytes | None], ignored: Ignored | None = None) -> tuple[list[Any], list[int]]:
    columns, positions = rows.parse_messages(pa.array(texts, pa.binary()), lambda position: f"message {position}", ignored or Ignored())
    return [column.to_pylist() for column in columns], positions.to_pylist()


MAPS = {"m": "MAP<STRING, INT>"}
"""What Arrow's parser does not read."""


@pytest.mark.parametrize(("columns", "value"), [({"m": "INT"}, 1), (MAPS, [])])
def test_null_and_empty_messages_give_no_rows_and_positions_are_those_of_the_messages(columns: dict[str, str], value: Any) -> None:
    text = b'{"m":1}' if columns["m"] == "INT" else b'{"m":{}}'
    assert messages(rows_of(columns), [None, text, b"", text]) == ([[value, value]], [1, 3])
    assert messages(rows_of(columns), []) == ([[]], [])
    assert messages(rows_of(columns), [None, b""]) == ([[]], [])


def test_an_array_in_a_message_gives_a_row_for_each_object() -> None:
    assert messages(rows_of({"a": "INT"}), [b'{"a":1}', b'[{"a":2},{"a":3}]']) == ([[1, 2, 3]], [0, 1, 1])


def test_two_objects_in_a_message_are_an_error_though_they_are_as_many_as_the_messages() -> None:
    with pytest.raises(TableRuntimeException, match=r"^message 0: [^?]* is not a JSON object: Extra data"):
        messages(rows_of({"a": "INT"}), [b'{"a":1}\n{"a":2}', b" "])


def test_a_message_may_have_line_breaks() -> None:
    assert messages(rows_of({"a": "INT"}), [b'{\n"a":\n1}', b'{"a":2}\n']) == ([[1, 2]], [0, 1])


def test_an_error_names_the_message_and_what_is_ignored_is_counted() -> None:
    texts: list[bytes | None] = [b'{"a":1}', b"", b'{"a":"x"}', b"?"]
    with pytest.raises(TableRuntimeException, match=r"^message 2, column 'a'"):
        messages(rows_of({"a": "INT"}), texts)
    ignored = Ignored()
    assert messages(rows_of({"a": "INT"}, ignore_errors=True), texts, ignored) == ([[1, None]], [0, 2])
    assert (ignored.values, ignored.rows) == (1, 1)


def test_a_block_is_read_at_once_where_all_of_it_can_be() -> None:
    columns, count = rows_of({"a": "INT"}).parse_block(b'{"a":1}\n{}\n', str, Ignored())
    assert ([column.to_pylist() for column in columns], count) == ([[1, None]], 2)


@pytest.mark.parametrize(("columns", "arguments"), [(MAPS, {}), ({"m": "INT"}, {"fail_on_missing": True})])
def test_a_block_is_read_one_by_one_where_that_is_needed(columns: dict[str, str], arguments: Any) -> None:
    lines = [b'{"m":null}', b"", b'{"m":null}']
    found, count = rows_of(columns, **arguments).parse_block(b"\n".join(lines), str, Ignored())
    assert ([column.to_pylist() for column in found], count) == ([[None, None]], 2)


def test_rows_without_columns_are_counted() -> None:
    lines = [b"{}", b'{"a":1}']
    columns, count = rows_of({}).parse_block(b"\n".join(lines), str, Ignored())
    assert (columns, count) == ([], 2)


def test_a_type_without_a_form_is_refused_before_anything_is_read() -> None:
    with pytest.raises(TableException, match="column 'a' of the type INTERVAL DAY"):
        rows_of({"a": "INTERVAL DAY TO SECOND(3)"})


def test_messages_are_joined_as_lines() -> None:
    array = pa.array([b"x", b"", b"yz", b"w"], pa.binary())
    assert join_messages(array) == b"x\n\nyz\nw"
    assert join_messages(array.slice(2, 2)) == b"yz\nw"


def test_the_first_problem_is_that_of_the_first_line_whether_its_value_or_the_line_is_ignored() -> None:
    good, bad_value, no_object = b'{"a":"1","b":"x"}', b'{"a":"x","b":"y"}', b'{"a":"1"'
    for texts, first in (
        ([good, bad_value, no_object, bad_value], 'message 1: "x" cannot be read as INT: it is not an integer'),
        ([good, no_object, bad_value, bad_value], 'message 1: {"a":"1" is not a JSON object'),
    ):
        ignored = Ignored()
        rows = rows_of({"a": "INT", "b": "STRING"}, ignore_errors=True, fewest_by_template=1)
        columns, positions = messages(rows, [*texts, good], ignored)
        assert len(columns[0]) == len(positions) == 4
        assert columns[0].count(None) == 2
        assert (ignored.values, ignored.rows) == (2, 1)
        assert (ignored.first or "").startswith(first)


@pytest.mark.parametrize("fewest", [1, 200])
def test_control_characters_in_strings_are_read_whatever_else_is_in_the_block(fewest: int) -> None:
    texts: list[bytes | None] = [b'{"s":"a"}', b'{"s":"b\tc"}', b'{"s":"d\x01"}', b'{"s":"e"}']
    rows = rows_of({"s": "STRING"}, fewest_by_template=fewest)
    assert rows.parse_block(b"\n".join(filter(None, texts)), str, Ignored())[0][0].to_pylist() == ["a", "b\tc", "d\x01", "e"]
    assert messages(rows, [*texts, b'{"s":"f\ng"}']) == ([["a", "b\tc", "d\x01", "e", "f\ng"]], [0, 1, 2, 3, 4])
