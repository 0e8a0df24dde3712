from __future__ import annotations

import pytest

from table_common.exceptions import SqlParserException
from table_common.types.type_tokens import END, NUMBER, QUOTED_NAME, STRING, tokenize_type


def test_words_are_upper_case_kinds_and_keep_their_text_as_value() -> None:
    tokens = tokenize_type("Decimal(10, 2)")
    assert tokens.kinds == ["DECIMAL", "(", NUMBER, ",", NUMBER, ")", END]
    assert tokens.values == ["Decimal", "(", "10", ",", "2", ")", ""]


def test_quotes_are_removed_and_doubled_quotes_are_one() -> None:
    tokens = tokenize_type("`a``b` 'it''s'")
    assert list(zip(tokens.kinds, tokens.values, strict=True)) == [(QUOTED_NAME, "a`b"), (STRING, "it's"), (END, "")]


def test_offsets_cover_each_token_without_spaces() -> None:
    text = "  INT  NOT "
    tokens = tokenize_type(text)
    assert [text[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)] == ["INT", "NOT", ""]
    assert tokens.starts[-1] == len(text)


def test_the_quoted_text_of_a_sign_or_number_is_a_name_but_no_word() -> None:
    tokens = tokenize_type("`<` `12` INT < 12")
    assert [tokens.is_name(index) for index in range(5)] == [True, True, True, False, False]
    assert [tokens.is_word(index) for index in range(5)] == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [("RAW('x)", "The quote ' is not closed", 5), ("`a", "The quote ` is not closed", 1), ("INT;", "The character ';' has no meaning", 4)],
)
def test_a_character_of_no_token_is_an_error_at_its_position(text: str, message: str, column: int) -> None:
    with pytest.raises(SqlParserException, match=message) as caught:
        tokenize_type(text)
    assert caught.value.position is not None
    assert caught.value.position.column == column
