from __future__ import annotations

import pytest

from table_common.java_patterns.reader import Flag, InvalidJavaPattern, PatternReader, UnsupportedJavaPattern


def reader(pattern: str, flags: Flag = Flag(0)) -> PatternReader:
    result = PatternReader(pattern)
    result.flags = flags
    return result


def test_reading_advances_by_one_character_and_ends_with_zero() -> None:
    text = reader("ab")
    assert [text.read(), text.read(), text.peek()] == [97, 98, 0]


def test_blanks_and_comments_are_passed_over_with_the_flag_comments() -> None:
    text = reader(" a # comment\n b", Flag.COMMENTS)
    assert [text.read(), text.read()] == [97, 98]
    assert reader(" a").read() == 32


def test_only_a_line_feed_ends_a_comment_with_unix_lines() -> None:
    assert reader("#\r b\nc", Flag.COMMENTS | Flag.UNIX_LINES).read() == ord("c")
    assert reader("#\r b\nc", Flag.COMMENTS).read() == ord("b")


def test_a_quotation_becomes_escapes() -> None:
    assert "".join(map(chr, reader(r"\Qa.\Eb").codes)).rstrip("\0") == r"a\.b"


@pytest.mark.parametrize(("digits", "code", "place"), [("7", 7, 1), ("101", 65, 3), ("377", 255, 3), ("400", 0o40, 2), ("18", 1, 1)])
def test_an_octal_escape_has_at_most_three_digits_up_to_377(digits: str, code: int, place: int) -> None:
    text = reader(digits)
    assert (text.octal(), text.place) == (code, place)


@pytest.mark.parametrize(("text", "code"), [("61", 0x61), ("{1F600}", 0x1F600)])
def test_a_hexadecimal_escape_has_two_digits_or_braces(text: str, code: int) -> None:
    assert reader(text).hexadecimal() == code


@pytest.mark.parametrize("text", ["6", "{110000}", "{", "zz"])
def test_a_hexadecimal_escape_of_another_form_is_invalid(text: str) -> None:
    with pytest.raises(InvalidJavaPattern):
        reader(text).hexadecimal()


def test_two_halves_of_a_character_are_one_code_point() -> None:
    assert reader(r"d83d\ude00").unicode() == 0x1F600
    assert reader("0061").unicode() == 0x61


def test_a_named_character_is_looked_up_and_an_unknown_name_is_reported() -> None:
    assert reader("{LATIN SMALL LETTER A}").named_character() == 0x61
    with pytest.raises(UnsupportedJavaPattern, match="NO SUCH NAME"):
        reader("{NO SUCH NAME}").named_character()


def test_a_control_escape_flips_one_bit() -> None:
    assert reader("A").control() == 1


@pytest.mark.parametrize("text", ["1a>", "a", "", "a b>"])
def test_a_group_name_is_letters_and_digits_up_to_its_end(text: str) -> None:
    pattern = reader(text)
    with pytest.raises(InvalidJavaPattern, match="name of a group"):
        pattern.group_name()
