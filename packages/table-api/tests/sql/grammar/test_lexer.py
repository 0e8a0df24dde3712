"""Statements that are very long, and characters that are none."""

from __future__ import annotations

import re

import pytest

from table_api.sql.grammar import lexer
from table_api.sql.parser import parse_expression, parse_statement
from table_common.exceptions import SqlParserException


@pytest.mark.parametrize("text", ["SELECT " + "1," * 600_000 + "1", "SELECT a" + " + a" * 60_000])
def test_a_statement_of_too_many_words_is_refused(text: str) -> None:
    with pytest.raises(SqlParserException, match="too long: it has more than 1,000,000 words, values and signs, or 100,000 beside values"):
        parse_statement(text)


def test_many_rows_of_values_are_not_too_long() -> None:
    parse_statement("VALUES " + ", ".join(f"({i}, 'x', DATE '2020-01-01', NULL)" for i in range(60_000)))


@pytest.mark.parametrize("escape", ["\\+110000", "\\D800", "\\+00DFFF"])
def test_an_escape_that_is_no_character_is_refused(escape: str) -> None:
    with pytest.raises(SqlParserException, match="is not a character of Unicode"):
        parse_expression(f"U&'{escape}'")


@pytest.mark.parametrize("text", ["SELECT '\ud800'", "SELECT 1 AS `\udfff`", "SELECT 1 -- \udfff"])
def test_a_lone_surrogate_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(SqlParserException, match=r"lone surrogate U\+D.* at offset"):
        parse_statement(text)


def test_a_name_with_nul_is_refused() -> None:
    with pytest.raises(SqlParserException, match="cannot contain the character NUL"):
        parse_statement("SELECT 1 AS `a\0b`")


def test_what_is_quoted_in_an_error_is_cut() -> None:
    with pytest.raises(SqlParserException) as caught:
        parse_statement("SELECT 1 " + "x" * 3_000_000 + " y")
    assert len(str(caught.value)) < 3_500


def test_comments_and_hints_are_found_by_every_python() -> None:
    possessive_with_lookahead = r"\(\?:(?:[^()]|\(\?[!=:][^()]*\))*\(\?[!=][^()]*\)(?:[^()]|\(\?[!=:][^()]*\))*\)[*+?]\+"
    assert re.search(possessive_with_lookahead, r"(?:[^*]|\*(?!/))*+")
    assert not re.search(possessive_with_lookahead, lexer._TOKEN.pattern)


@pytest.mark.parametrize("comment", ["/**/", "/***/", "/* * / ** */", "/*'*/", "/*\n*/", "/* -- */"])
def test_a_comment_ends_at_the_first_end(comment: str) -> None:
    tokens = lexer.tokenize(f"1 {comment} + {comment} 2")
    assert tokens.values[:-1] == ["1", "+", "2"]
