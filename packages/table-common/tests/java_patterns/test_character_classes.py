from __future__ import annotations

import pytest

from table_common.java_patterns.character_classes import ClassReader
from table_common.java_patterns.character_sets import ranges_of
from table_common.java_patterns.reader import Flag, InvalidJavaPattern


def matched(text: str, flags: Flag = Flag(0)) -> str:
    """Returns the ASCII characters that the brackets match."""
    reader = ClassReader(text)
    reader.flags = flags
    ranges = ranges_of(reader.bracketed(True), lambda text: ())
    return "".join(chr(code) for first, last in ranges for code in range(first, min(last, 126) + 1))


@pytest.mark.parametrize(
    ("text", "characters"),
    [
        ("[a-c]", "abc"),
        ("[a-cx]", "abcx"),
        ("[a[bc]]", "abc"),
        ("[a-z&&[def]]", "def"),
        ("[a-z&&[^b-z]]", "a"),
        ("[]a]", "]a"),
        ("[a-]", "-a"),
        (r"[\x61\n]", "\na"),
        (r"[\d&&[^0]]", "123456789"),
    ],
)
def test_brackets_match_ranges_unions_and_intersections(text: str, characters: str) -> None:
    assert matched(text) == "".join(sorted(characters))


def test_a_letter_matches_both_cases_where_case_is_ignored() -> None:
    assert matched("[a-b]", Flag.IGNORE_CASE) == "ABab"


@pytest.mark.parametrize(
    ("text", "message"), [("[a", "']' is missing"), ("[z-a]", "a range ends before it begins"), (r"[\b]", "is not allowed in brackets")]
)
def test_malformed_brackets_are_invalid(text: str, message: str) -> None:
    with pytest.raises(InvalidJavaPattern, match=message):
        matched(text)
