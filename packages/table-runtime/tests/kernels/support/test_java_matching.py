"""What regular expressions of Java find. Java 17 was asked for each."""

from __future__ import annotations

import subprocess
import sys

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.kernels.scalar import strings as text
from table_runtime.kernels.support.java_matching import java_pattern


def found(pattern: str, value: str) -> list[tuple[int, int]]:
    compiled = java_pattern(pattern)
    assert compiled is not None
    return [match.span() for match in compiled.finditer(value)]


@pytest.mark.parametrize(
    ("pattern", "value", "spans"),
    [
        (r"\p{L}+", "aé1ß", [(0, 2), (3, 4)]),
        (r"\p{IsGreek}", "aα", [(1, 2)]),
        (r"\p{IsAlphabetic}+", "aͅ1", [(0, 2)]),
        ("[a-c&&[^b]]", "abc", [(0, 1), (2, 3)]),
        (r"[\w&&\P{Alpha}]", "a1_", [(1, 2), (2, 3)]),
        ("a(?i)B", "ABaBab", [(2, 4), (4, 6)]),
        ("(?i)é", "É", []),
        ("(?iu)é", "É", [(0, 1)]),
        ("(?iu)k", "K", [(0, 1)]),
        (r"\Qa.b\E", "axb a.b", [(4, 7)]),
        (r"\R", "\r\n\u2028", [(0, 2), (2, 3)]),
        (r"(?:\R){2}", "\r\n", []),
        (r"\h\v", "\xa0\x0b", [(0, 2)]),
        (r"\x{1F600}", "😀", [(0, 1)]),
        ("(?<=a+)b", "aab", [(2, 3)]),
        ("(?<!a|bc)d", "adbcdd", [(5, 6)]),
        (r"\Ga", "aaba", [(0, 1), (1, 2)]),
        (r"a|\G", "ba", [(0, 0), (1, 2), (2, 2)]),
        (r"\X", "e\u0301a", [(0, 2), (2, 3)]),
        (".", "a\rb\u0085\u2028c", [(0, 1), (2, 3), (5, 6)]),
        ("(?d).", "\r\n", [(0, 1)]),
        ("a$", "a\r\n", [(0, 1)]),
        ("a$", "a\ra", [(2, 3)]),
        ("$", "a\r\n", [(1, 1), (3, 3)]),
        ("(?m)^a$", "a\r\na\u0085a\n", [(0, 1), (3, 4), (5, 6)]),
        ("(?m)^", "a\n", [(0, 0)]),
        ("(?m)^", "", []),
        (r"\ba", "éa a", [(3, 4)]),
        (r"\b", "a\u0301b", [(0, 0), (3, 3)]),
        (r"\B", "", [(0, 0)]),
        ("|a", "a", [(0, 0), (1, 1)]),
        ("a??", "ab", [(0, 0), (1, 1), (2, 2)]),
        ("a*", "baac", [(0, 0), (1, 3), (3, 3), (4, 4)]),
        (r"a{2}{3}", "aa", [(0, 2)]),
        ("(a|ab)++c", "abc", []),
        ("[&a]", "&", [(0, 1)]),
    ],
)
def test_matches(pattern: str, value: str, spans: list[tuple[int, int]]) -> None:
    assert found(pattern, value) == spans


@pytest.mark.parametrize(
    ("pattern", "value", "most", "parts"),
    [
        (",", "a,b,,", 0, ["a", "b"]),
        (",", ",a", 0, ["", "a"]),
        (",", ",", 0, []),
        (",", "a", 0, ["a"]),
        (",", "a,b,", 2, ["a", "b,"]),
        (",", "a,", 2, ["a", ""]),
        ("(,)", "a,b", 0, ["a", "b"]),
        ("", "ab", 0, ["a", "b"]),
        ("(?=b)|x", "xab", 0, ["", "a", "b"]),
    ],
)
def test_a_text_is_split_as_java_does(pattern: str, value: str, most: int, parts: list[str]) -> None:
    compiled = java_pattern(pattern)
    assert compiled is not None
    assert compiled.split(value, most) == parts


def test_empty_matches_are_replaced_once() -> None:
    assert text.regexp_replace("ab", "|a", "-") == "-a-b-"
    assert text.regexp_replace("ab", "b*", "$1") == "$1a$1$1"


def test_what_is_no_pattern_finds_nothing() -> None:
    assert text.regexp("a", "(") is False
    assert text.regexp_replace("a", "a{,2}", "") is None
    assert text.regexp_count("a", "[") is None


def test_separators_that_are_no_patterns_are_refused() -> None:
    with pytest.raises(TableRuntimeException, match=r"'\[' is not a regular expression"):
        text.str_to_map("a=1", "[")
    with pytest.raises(TableRuntimeException, match=r"'\(' is not a regular expression"):
        text.str_to_map("a=1", ",", "(")


def test_an_unsupported_pattern_is_an_error_that_names_what_and_where() -> None:
    with pytest.raises(TableRuntimeException, match=r"'a\\b\{g\}' uses '\\b\{g\}'\. This engine does not support that"):
        text.regexp("a", r"a\b{g}")


def test_only_the_groups_that_java_alone_knows_are_refused() -> None:
    assert text.regexp_extract("ab", "(a)(?!(c))b", 1) == "a"
    with pytest.raises(TableRuntimeException, match="the group 2"):
        text.regexp_extract("ab", "(a)(?!(c))b", 2)


def test_the_place_of_a_match_counts_as_java_does() -> None:
    assert text.regexp_instr("😀b", "b") == 3
    assert text.regexp_instr("éb", "b") == 2


@pytest.mark.parametrize("pattern", [r"(\p{L}+)+$", "(?i)(a+)+$", "(?s)(.+)+c$", r"([\p{L}&&[^c]]+)+$"])
def test_patterns_of_java_over_long_texts_take_re2(pattern: str) -> None:
    assert text.regexp_instr("a" * 5000 + "bc1" + "c", pattern) is not None


@pytest.mark.parametrize("pattern", [r"(a|aa)+\G$", r"(a|aa)+(?<=b+)\X$"])
def test_what_only_the_library_regex_finds_ends_in_time(monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.setattr("table_runtime.kernels.support.regular_expressions.SECONDS", 0.02)
    with pytest.raises(TableRuntimeException, match="takes too long"):
        text.regexp("a" * 60 + "bb", pattern)


def test_usual_patterns_do_not_load_the_library_regex() -> None:
    program = (
        "import sys; from table_runtime.kernels.scalar import strings as text; "
        r"assert text.regexp('ab 1\n', r'(?i)\bA.*\d$') and text.regexp('ab', '[a-z&&[^c]]'); "
        "assert 'regex' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
