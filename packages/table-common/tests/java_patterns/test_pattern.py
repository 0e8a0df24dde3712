"""What is a regular expression for Java, and what it is for Python. Java 17 was asked for each."""

from __future__ import annotations

import pytest

from table_common.java_patterns import JavaPattern, is_costly_java_pattern, optional_groups, read_java_pattern

VALID = [
    *(r"\p{L}+", r"\pL", r"\p{IsAlphabetic}", r"\p{sc=Latn}", r"\p{InLatin-1 Supplement}", r"\p{blk=Emoticons}", r"\p{javaLowerCase}"),
    *(r"\Qa.b\E", r"\Qa(", r"[\Qa-b]\E]", "[a-c&&[^b]]", "[a[bc]]", "[a&&]", "[a&b]", "[a&&&b]", "[]a]", "[a-]", "[^]a]", "[a-c&&]"),
    *("a(?i)B", "(?-i)a", "(?im-s:a)", "(?x) a # b", r"\x{61}", r"\u0061", r"\07", r"\0101", r"\cA", r"\e", r"\R", r"\h\v", r"\G", r"\X"),
    *("(?<=a+)b", "(?<=a{1,5})b", "(?<n>a)\\k<n>", "(?>a|ab)c", "a*+", "{2}", "a{2}{3}", "^*", "a]", "a}", r"(a)\11", r"\1", "", "|"),
    *(r"\N{LATIN SMALL LETTER A}", "(?<!a|bc)", "[\\v-\\x20]"),
]
INVALID = [
    *("(", ")", "[", "[]", "[^]", "*", "a**", "a{", "a{,2}", "{", "a{2,1}", "a{99999999999}", "(?z)", "(?", "(?<", "(?<1>a)", "(?i)*"),
    *(r"\i", r"\E", r"\p{Foo}", r"\p{isL}", r"\p{", r"\p{}", r"\x6", r"\x{110000}", r"\u00", r"\0", r"\08", r"\k<n>", "[z-a]", r"[a-\d]"),
    *(r"[\b]", r"[\1]", "[&&]", "(?<=(?:a|b)*)c", "(?<n>a)(?<n>b)", "(?P<n>a)", "(?#a)", "(?'n'a)", r"(?<=(a)\1)"),
]


def read(pattern: str) -> JavaPattern:
    found = read_java_pattern(pattern)
    assert found is not None
    return found


@pytest.mark.parametrize("pattern", VALID)
def test_patterns_that_java_accepts_are_valid(pattern: str) -> None:
    assert read(pattern).unsupported is None


@pytest.mark.parametrize("pattern", INVALID)
def test_what_java_refuses_is_none(pattern: str) -> None:
    assert read_java_pattern(pattern) is None


def test_groups_are_counted_as_java_does() -> None:
    assert read(r"(a)(?:b)(?<c>d)(?=(e))\(\Q(\E[(]").groups == 3


def test_groups_that_a_match_may_lack() -> None:
    assert optional_groups(read("(a)(b)?((c)|(d))(?!(e))(f)+").tree) == {2, 4, 5, 6}


@pytest.mark.parametrize("pattern", [r"(\p{L}+)+$", "(?<=a+)(b+)+c", r"\G(a|aa)+\X", r"(?:(a+)+\1)+"])
def test_costly_patterns_are_detected(pattern: str) -> None:
    assert is_costly_java_pattern(pattern)


@pytest.mark.parametrize("pattern", [r"\p{L}+\d", "(?<=a+)b", r"\Qa+\Eb", r"(?i)ab.*\R", r"\G(?<n>a)\k<n>"])
def test_usual_patterns_of_java_are_not_costly(pattern: str) -> None:
    assert not is_costly_java_pattern(pattern)
