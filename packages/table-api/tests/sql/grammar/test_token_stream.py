"""The token stream: tests on tokens, expected sets, and positions."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import Span
from table_api.sql.grammar.lexer import END, tokenize
from table_api.sql.grammar.token_stream import Backtrack, TokenStream
from table_common.exceptions import SqlParserException


def stream(text: str, *, watch: int = -1) -> TokenStream:
    return TokenStream(tokenize(text), watch=watch)


def test_accept_consumes_a_token_of_the_kind_only() -> None:
    tokens = stream("SELECT a")
    assert (tokens.accept("INSERT"), tokens.accept("SELECT"), tokens.index) == (False, True, 1)


def test_accept_words_consumes_all_or_nothing() -> None:
    tokens = stream("IF NOT NULL")
    assert (tokens.accept_words("IF", "NOT", "EXISTS"), tokens.index) == (False, 0)


def test_beyond_the_last_token_is_the_end() -> None:
    assert stream("a").peek(100) == END


def test_a_failing_test_records_its_kind_at_the_watched_token_only() -> None:
    watched, unwatched = stream("a", watch=0), stream("a")
    for tokens in (watched, unwatched):
        tokens.at("SELECT")
        tokens.accept_one("INSERT", "UPDATE")
    assert (watched.expected, unwatched.expected) == ({"SELECT", "INSERT", "UPDATE"}, set())


def test_an_unwatched_error_asks_for_a_second_parse() -> None:
    with pytest.raises(Backtrack) as raised:
        stream("a b").expect("SELECT")
    assert raised.value.index == 0


def test_a_watched_error_names_what_is_expected() -> None:
    with pytest.raises(SqlParserException, match="Unexpected 'a', expected SELECT"):
        stream("a", watch=0).expect("SELECT")


def test_an_error_shows_no_secret() -> None:
    text = "WITH ('password' = 'hunter2' x"
    tokens = tokenize(text)
    failing = TokenStream(tokens, index=4, watch=4)
    assert "hunter2" not in str(failing.unexpected(")").args[0])


def test_a_span_covers_the_consumed_tokens() -> None:
    tokens = stream("  a . b c")
    assert tokens.path_with_span("table name") == (("a", "b"), Span(2, 7))


def test_options_are_pairs_of_strings_without_quotes() -> None:
    assert stream("('a' = '1', 'it''s' = '')").options() == (("a", "1"), ("it's", ""))


def test_an_integer_has_digits_only() -> None:
    assert stream("12").unsigned_integer() == 12
    with pytest.raises(Backtrack):
        stream("1.5").unsigned_integer()
