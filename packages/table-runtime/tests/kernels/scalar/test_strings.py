"""Text functions on single values; the expected results are Flink's."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.kernels.scalar import strings as fn


@pytest.mark.parametrize(
    ("args", "expected"),
    [((1,), "abc"), ((0,), "abc"), ((2, 1), "b"), ((-2,), "bc"), ((-2, 1), "b"), ((4,), ""), ((-4,), ""), ((1, 0), ""), ((1, -1), None)],
)
def test_substring(args: Any, expected: str | None) -> None:
    assert fn.substring("abc", *args) == expected


@pytest.mark.parametrize(
    ("text", "searched", "args", "expected"),
    [
        ("abcabc", "c", (), 3),
        ("abcabc", "c", (4,), 6),
        ("abcabc", "a", (1, 2), 4),
        ("abcabc", "a", (9,), 0),
        ("aaaa", "aa", (1, 2), 2),
        ("abcabc", "abc", (0,), 0),
        ("abcabc", "abc", (-1,), 4),
        ("abcabc", "abc", (-2,), 1),
        ("abcabc", "abc", (-3,), 1),
        ("aaaa", "aa", (-1, 2), 2),
        ("aaaa", "aa", (-2, 2), 1),
        ("abcabc", "a", (-9,), 0),
        ("abcabc", "a", (-9, 2), 0),
        ("abcabc", "bc", (-5,), 0),
        ("abcabc", "", (7,), 1),
        ("abcabc", "", (-1,), 7),
        ("aaaa", "", (2, 3), 1),
        ("aaaa", "", (-3, 2), 5),
        ("", "a", (), 0),
        ("", "", (-1,), 1),
    ],
)
def test_instr(text: str, searched: str, args: Any, expected: int) -> None:
    assert fn.instr(text, searched, *args) == expected


@pytest.mark.parametrize("start", [1, 3, 9])
def test_an_empty_text_is_at_the_beginning(start: int) -> None:
    assert fn.position("", "abc", start) == 1


@pytest.mark.parametrize(("start", "expected"), [(1, 2), (2, 2), (3, 4), (5, 0), (0, 0)])
def test_position(start: int, expected: int) -> None:
    assert fn.position("b", "abcb", start) == expected


def test_instr_takes_a_positive_occurrence() -> None:
    with pytest.raises(TableRuntimeException, match="positive number of the occurrence, but got 0"):
        fn.instr("a", "a", 1, 0)


@pytest.mark.parametrize(
    ("start", "length", "expected"),
    [(1, None, "XYc"), (3, None, "abXY"), (2, 0, "aXYbc"), (2, 9, "aXY"), (0, None, "abc"), (4, None, "abc")],
)
def test_overlay(start: int, length: int | None, expected: str) -> None:
    assert fn.overlay("abc", "XY", start, length) == expected


@pytest.mark.parametrize(
    ("length", "padding", "left", "right"),
    [(5, "xy", "xyabc", "abcxy"), (2, "x", "ab", "ab"), (0, "x", "", ""), (-1, "x", None, None), (5, "", None, None)],
)
def test_padding(length: int, padding: str, left: str | None, right: str | None) -> None:
    assert (fn.lpad("abc", length, padding), fn.rpad("abc", length, padding)) == (left, right)


def test_the_ends_of_a_text() -> None:
    assert [(fn.left("abc", n), fn.right("abc", n)) for n in (-1, 0, 2, 9)] == [("", ""), ("", ""), ("ab", "bc"), ("abc", "abc")]


def test_translate_removes_characters_without_a_counterpart() -> None:
    assert fn.translate("banana", "ana", "12") == "b12121"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", []), ("a=1,b=2,a=3", [("a", "3"), ("b", "2")]), ("a", [("a", None)]), (",a=1", [("", None), ("a", "1")]), ("a=1,", [("a", "1")])],
)
def test_pairs_become_a_map(text: str, expected: Any) -> None:
    assert fn.str_to_map(text) == expected


def test_a_delimiter_of_pairs_that_is_no_pattern_is_refused() -> None:
    with pytest.raises(TableRuntimeException, match=r"'\(' is not a regular expression"):
        fn.str_to_map("a=1", "(")


@pytest.mark.parametrize(
    ("delimiter", "index", "expected"),
    [(",", 0, "a"), (",", 2, "c"), (",", 3, None), (",", -1, None), (44, 1, ""), (0, 0, None), (256, 0, None)],
)
def test_split_index(delimiter: str | int, index: int, expected: str | None) -> None:
    assert fn.split_index("a,,c", delimiter, index) == expected


def test_an_empty_delimiter_splits_into_characters() -> None:
    assert (fn.split("ab", ""), fn.split("", ","), fn.split(",a", ",")) == (["a", "b"], [], ["", "a"])


@pytest.mark.parametrize("charset", ["US-ASCII", "iso-8859-1", "UTF-8", "UTF-16BE", "UTF-16LE", "UTF-16"])
def test_what_a_character_set_encodes_it_decodes(charset: str) -> None:
    assert fn.decode(fn.encode("abc", charset), charset) == "abc"


def test_characters_that_a_set_does_not_have_are_question_marks() -> None:
    assert fn.encode("aé", "US-ASCII") == b"a?"


def test_an_unknown_character_set_is_refused_with_those_that_exist() -> None:
    with pytest.raises(TableRuntimeException, match=r"'EBCDIC' is not supported\. Accepted: ISO-8859-1"):
        fn.encode("a", "EBCDIC")


def test_base64() -> None:
    assert (fn.to_base64("é"), fn.from_base64("w6k="), fn.to_base64(b"")) == ("w6k=", "é", "")
    assert (fn.from_base64("w6k"), fn.from_base64(b"w6k"), fn.from_base64("YQ")) == ("é", "é", "a")
    with pytest.raises(TableRuntimeException, match="is not Base64"):
        fn.from_base64("w6k=w")


@pytest.mark.parametrize(
    ("part", "key", "expected"),
    [
        ("HOST", None, "h.org"),
        ("PATH", None, "/p/q"),
        ("QUERY", None, "a=1&b=2"),
        ("QUERY", "b", "2"),
        ("QUERY", "c", None),
        ("REF", None, "r"),
        ("PROTOCOL", None, "http"),
        ("AUTHORITY", None, "u:w@h.org:80"),
        ("FILE", None, "/p/q?a=1&b=2"),
        ("USERINFO", None, "u:w"),
        ("host", None, None),
    ],
)
def test_parts_of_a_url(part: str, key: str | None, expected: str | None) -> None:
    assert fn.parse_url("http://u:w@h.org:80/p/q?a=1&b=2#r", part, key) == expected


def test_url_encoding_is_that_of_forms() -> None:
    assert fn.url_encode("a b*~é") == "a+b*%7E%C3%A9"
    assert fn.url_decode("a+b*%7E%C3%A9") == "a b*~é"
    assert fn.url_decode("%4") is None


@pytest.mark.parametrize(
    ("text", "alpha", "digit", "decimal"),
    [
        ("", False, False, False),
        ("ab", True, False, False),
        ("12", False, True, True),
        ("-1.5e3", False, False, True),
        (None, False, False, False),
    ],
)
def test_kinds_of_text(text: str | None, alpha: bool, digit: bool, decimal: bool) -> None:
    assert (fn.is_alpha(text), fn.is_digit(text), fn.is_decimal(text)) == (alpha, digit, decimal)


@pytest.mark.parametrize("function", [fn.regexp_count, fn.regexp_instr, fn.regexp_substr, fn.regexp_extract, fn.regexp_extract_all])
def test_an_invalid_pattern_gives_null(function: Any) -> None:
    assert function("a", "(") is None
