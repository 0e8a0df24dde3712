from __future__ import annotations

import re

import pytest

from table_common.java_patterns import JavaPattern, UnsupportedJavaPattern, read_java_pattern, write_python_pattern


def read(pattern: str) -> JavaPattern:
    found = read_java_pattern(pattern)
    assert found is not None
    return found


def python(pattern: str) -> str:
    return write_python_pattern(read(pattern), lambda text: ((65, 90),)).text


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        (r"\d+\w\s", r"\d+\w\s"),
        (r"[a-c&&[^b]]", "[ac]"),
        ("a(?i)B", "a[Bb]"),
        ("(?i:a)b", "(?:[Aa])b"),
        ("(?iu)k", r"[Kk\u212a]"),
        (r"\p{L}", "[A-Z]"),
        (r"\P{L}&&", r"[^A-Z]\x26\x26"),
        ("[^a-z]", "[^a-z]"),
        (r"(?<n>a)\k<n>", r"(a)(?:\1)"),
        ("(?<=a|bc)d", "(?:(?<=a)|(?<=bc))d"),
        (r"\Q1.\E2", r"1\x2e2"),
        (r"(a)\1\2", r"(a)(?:\1)(?!)"),
        ("(a|ab)*+", "(?>(?:(?>(a|ab)))*)"),
        ("(?s).", "(?s:.)"),
        (r"[\x00-\x{10FFFF}&&[^\x00-\x{10FFFF}]]", r"[^\x00-\U0010ffff]"),
    ],
)
def test_a_pattern_for_python(pattern: str, written: str) -> None:
    assert python(pattern) == written
    re.compile(written)


def test_only_what_re_lacks_needs_another_library() -> None:
    needs = {pattern: write_python_pattern(read(pattern), lambda text: ()).needs_regex for pattern in (r"\p{L}", r"\ba$", r"\G", "(?<=a+)")}
    assert needs == {r"\p{L}": False, r"\ba$": False, r"\G": True, "(?<=a+)": True}


def test_texts_with_other_line_ends_have_a_pattern_of_their_own() -> None:
    usual, other = (write_python_pattern(read("a.$"), lambda text: (), lines=lines) for lines in (False, True))
    assert usual.has_lines
    assert usual.text == "a.$"
    assert re.search(usual.text, "ab\n")
    assert re.search(other.text, "ab\r\n")
    assert not re.search(other.text, "a\r")


@pytest.mark.parametrize(
    ("pattern", "construct"),
    [
        (r"a\b{g}", r"\b{g}"),
        ("(?c)a", "(?c)"),
        (r"\N{NO SUCH NAME}", "NO SUCH NAME"),
        (r"(?:\1a|(b))+", r"\1"),
        (r"(?iu)(a)\1", "(?iu)"),
        ("(?<=(a)+)b", "behind"),
        ("(|a|b){2}", "empty"),
        (r"(?<=\Ga)b", r"\G"),
        (r"(?:(a)b)*\1", r"\1"),
        ("(?<=a+b+)c", "behind"),
        ("(" * 5000 + ")" * 5000, "parentheses"),
    ],
)
def test_what_only_java_finds_is_named(pattern: str, construct: str) -> None:
    with pytest.raises(UnsupportedJavaPattern, match=re.escape(construct)):
        write_python_pattern(read(pattern), lambda text: ())


def test_groups_whose_text_only_java_knows() -> None:
    pattern = "(a)(?!(b))(?:(c)+d)+(?=(e))(?>(f)|g)(?:(h)i)*"
    assert write_python_pattern(read(pattern), lambda text: ()).uncertain_groups == {2, 3, 5, 6}
