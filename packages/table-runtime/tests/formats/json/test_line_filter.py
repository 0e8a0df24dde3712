"""Lines that Arrow's parser reads, found by patterns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.types import RowType, parse_logical_type
from table_runtime.formats.json.line_filter import likely_lines, object_pattern, plain_lines, wrong_pattern

ROW = RowType.of(
    [
        ("a", parse_logical_type("INT")),
        ("é", parse_logical_type("STRING")),
        ("r", parse_logical_type("ROW<a INT, d DECIMAL(5, 2), l ARRAY<BOOLEAN>>")),
    ],
    nullable=False,
)
VALID = [
    "{}",
    ' { "a" : 1 , "r" : null } ',
    '{"a":-1000000000,"é":"\\u00e9\\n","r":{"a":null,"d":"1.50","l":[true, null]}}\r',
    '{"ab":[1],"":{"x":"y"},"b":"a"}',
]
WRONG_KINDS = [
    '{"a":"1"}',
    '{"a":1.5}',
    '{"a":99999999999}',
    '{"é":1}',
    '{"r":[]}',
    '{"r":{"l":{}}}',
    '{"a":NaN}',
    "garbage",
    '{"a":1',
    "[{}]",
]
NO_JSON = [
    '{"a":1,}',
    '{"a":01}',
    '{"é":"\x01"}',
    '{"é":"\\x"}',
    '{"é":"\\ud83d"}',
    '{"a":1}{"a":2}',
    '{"a"}',
    '{"b":tru}',
    '{"r":{"d":1.}}',
]


def lines(texts: list[str]) -> pa.Array:
    return pa.array([text.encode() for text in texts])


@pytest.mark.parametrize("text", VALID)
def test_objects_with_values_of_the_expected_kinds_match(text: str) -> None:
    assert plain_lines(lines([text]), object_pattern(ROW, ())).to_pylist() == [True]
    assert likely_lines(lines([text.strip(" ")]), wrong_pattern(ROW, ())).to_pylist() == [True]


@pytest.mark.parametrize("text", [*WRONG_KINDS, *NO_JSON])
def test_what_arrow_refuses_does_not_match(text: str) -> None:
    assert plain_lines(lines([text]), object_pattern(ROW, ())).to_pylist() == [False]


@pytest.mark.parametrize("text", WRONG_KINDS)
def test_values_of_another_kind_are_found_fast(text: str) -> None:
    assert likely_lines(lines([text]), wrong_pattern(ROW, ())).to_pylist() == [False]


def test_numbers_may_be_expected_as_text() -> None:
    quoted = {"/a", "/r/a"}
    texts = lines(['{"a":"1","r":{"a":"2"}}', '{"a":1}'])
    assert plain_lines(texts, object_pattern(ROW, quoted)).to_pylist() == [True, False]


def test_null_and_damaged_text_do_not_match() -> None:
    texts = pa.array([None, b'{"\xe9":"\xff"}', b"{}"])
    assert plain_lines(texts, object_pattern(ROW, ())).to_pylist() == [False, False, True]
    assert likely_lines(texts, wrong_pattern(ROW, ())).to_pylist() == [False, False, True]
