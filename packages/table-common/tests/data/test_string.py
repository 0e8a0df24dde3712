from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_common.data import StringData
from table_common.exceptions import ValidationException


def text(value: str) -> StringData:
    return StringData.from_string(value)


def test_to_bytes() -> None:
    assert text("größe").to_bytes() == "größe".encode()


def test_to_string() -> None:
    assert str(text("größe 😀")) == "größe 😀"


def test_from_string() -> None:
    assert text("a") == StringData.from_bytes(b"a")


def test_from_string_refuses_half_a_surrogate_pair() -> None:
    with pytest.raises(ValidationException, match="half of a surrogate pair at position 1"):
        text("a\ud83d")


def test_from_bytes() -> None:
    assert str(StringData.from_bytes(bytearray(b"abc"))) == "abc"


def test_from_bytes_with_offset_and_number() -> None:
    assert str(StringData.from_bytes(b"abcdef", 2, 3)) == "cde"


def test_from_bytes_does_not_see_later_changes_of_the_buffer() -> None:
    buffer = bytearray(b"abc")
    value = StringData.from_bytes(buffer)
    buffer[0] = 0x7A
    assert str(value) == "abc"


@pytest.mark.parametrize(("offset", "count"), [(-1, 1), (2, 2), (4, 0), (0, -1)])
def test_from_bytes_refuses_bytes_that_do_not_exist(offset: int, count: int) -> None:
    with pytest.raises(ValidationException, match="only 3 bytes are given"):
        StringData.from_bytes(b"abc", offset, count)


@pytest.mark.parametrize("data", [b"\xff", "ä".encode()[:1], b"\xed\xa0\x80"])
def test_from_bytes_refuses_what_is_not_utf_8(data: bytes) -> None:
    with pytest.raises(ValidationException, match="not UTF-8"):
        StringData.from_bytes(data)


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_the_order_is_that_of_code_points(texts: list[str]) -> None:
    assert [str(value) for value in sorted(map(text, texts))] == sorted(texts)


def test_the_order_is_not_that_of_utf_16_where_emoji_take_part() -> None:
    below, emoji = "\uffff", "😀"
    assert below.encode("utf-16-be") > emoji.encode("utf-16-be")
    assert text(below) < text(emoji)


def test_equal_text_has_equal_hashes() -> None:
    assert len({text("a"), StringData.from_bytes(b"a"), text("b")}) == 2


def test_text_is_not_equal_to_str_or_bytes() -> None:
    assert text("a") != "a"
    assert text("a") != b"a"


def test_text_is_not_compared_with_str() -> None:
    with pytest.raises(TypeError):
        _ = text("a") < "b"


def test_the_error_of_the_constructor_names_the_factory_methods() -> None:
    with pytest.raises(TypeError, match="from_string"):
        StringData()


def test_repr_shows_the_text() -> None:
    assert repr(text("a")) == "StringData('a')"


def test_text_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(text("größe"))) == text("größe")
