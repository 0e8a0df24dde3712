"""Patterns of LIKE and SIMILAR TO as regular expressions."""

from __future__ import annotations

import re

import pytest

from table_common.patterns import PatternError, like_parts, like_regex, similar_regex


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("[[:ALPHA:]]*", "abC", True),
        ("[[:alpha:]]*", "abC", True),
        ("[[:ALPHA:]]*", "a1", False),
        ("[[:ALPHA:]]*", "é", False),
        ("[:ALPHA:]*", ":AL", True),
        ("[:ALPHA:]*", "abc", False),
        ("[^[:ALPHA:]]*", "12", True),
        ("[[:ALPHA:]0-9_]*", "a_1", True),
        ("[[:SPACE:]]", " ", True),
        ("[[:SPACE:]]", "\t", False),
        ("[[:WHITESPACE:]]", "\t", True),
        ("[[:DIGIT:]][[:UPPER:]][[:LOWER:]][[:ALNUM:]]", "1Aaz", True),
        ("a.c", "abc", False),
        ("a[b-]b", "a-b", True),
        ("a{1}b{1,2}", "abb", True),
        ("(a|b)+%_", "abxy", True),
        ("a\\b", "a\\b", True),
        ("%", "line\nbreak", True),
    ],
)
def test_a_text_is_similar(pattern: str, text: str, expected: bool) -> None:
    assert (re.fullmatch(similar_regex(pattern, None), text, re.DOTALL) is not None) == expected


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a(b", "missing"),
        ("[a", r"'\[' is not closed"),
        ("*a", "nothing to repeat"),
        ("a{x}", "'{' begins a number of repetitions"),
        ("[[:FOO:]]", "there is no class 'FOO'; there are ALNUM, ALPHA"),
    ],
)
def test_a_malformed_pattern_is_refused_with_its_reason(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError, match=f"is not a pattern for SIMILAR TO: {reason}"):
        similar_regex(pattern, None)


def test_an_escaped_character_is_literal() -> None:
    assert like_parts("a#%%", "#") == ((False, "a"), (False, "%"), (True, "%"))
    assert re.fullmatch(like_regex("a#_b", "#"), "a_b")
    assert not re.fullmatch(like_regex("a#_b", "#"), "axb")
    assert re.fullmatch(similar_regex("a#[b", "#"), "a[b")


def test_an_empty_escape_is_none() -> None:
    assert like_parts("a#", "") == ((False, "a"), (False, "#"))


@pytest.mark.parametrize("parse", [like_parts, like_regex, similar_regex])
@pytest.mark.parametrize(("pattern", "escape"), [("a#b", "#"), ("ab#", "#"), ("ab", "##")])
def test_a_wrong_escape_is_refused(parse: object, pattern: str, escape: str) -> None:
    assert callable(parse)
    with pytest.raises(PatternError, match=r"escape character '#'|ESCAPE takes one character, but got '##'"):
        parse(pattern, escape)
