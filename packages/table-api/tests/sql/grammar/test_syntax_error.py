"""Syntax errors: the place, what would have been right, advice."""

from __future__ import annotations

import sys
import threading

import pytest

from table_api.sql.parser import parse_expression, parse_statement
from table_common.exceptions import SqlParserException
from table_common.tree import MAX_DEPTH


def error_of(text: str) -> SqlParserException:
    with pytest.raises(SqlParserException) as caught:
        parse_statement(text)
    return caught.value


def test_error_shows_line_column_and_caret() -> None:
    error = error_of("SELECT a,\n  b c d\nFROM t")
    assert error.position is not None
    assert (error.position.line, error.position.column) == (2, 7)
    assert "    b c d\n        ^" in str(error)


def test_error_names_the_only_token_expected() -> None:
    error = error_of("SELECT * FROM t GROUP x")
    assert error.message == "Unexpected 'x', expected BY."
    assert error.expected == ("BY",)


def test_error_lists_the_tokens_expected() -> None:
    error = error_of("SELECT CASE WHEN TRUE THEN 1")
    assert error.message == "Unexpected end of the statement, expected one of ELSE, END, WHEN."
    assert {"ELSE", "END", "WHEN"} <= set(error.expected)


def test_error_sums_up_expressions() -> None:
    assert error_of("SELECT * FROM t WHERE").message == "Unexpected end of the statement, expected an expression."


def test_error_in_a_hint_has_the_place_in_the_statement() -> None:
    error = error_of("SELECT * FROM t /*+ OPTIONS('a' 'b') */")
    assert error.position is not None
    assert error.position.column == 33


def test_error_in_a_later_statement_has_the_place_in_the_text() -> None:
    from table_api.sql.parser import parse_script

    with pytest.raises(SqlParserException) as caught:
        parse_script("SELECT 1;\nSELEC 2")
    assert caught.value.position is not None
    assert caught.value.position.line == 2


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELEC 1", "did you mean SELECT"),
        ("SELECT a FORM t", "did you mean FROM"),
        ("SELECT a FROM t WEHRE b", "did you mean WHERE"),
        ("SELECT a FROM t ORDR BY a", "did you mean ORDER"),
        ("SHOW TABELS", "did you mean TABLES"),
        ("SHOW CREATE TABLE 'data.csv'", "a file is read in FROM: CREATE TEMPORARY VIEW v AS"),
        ("INSERT INTO 'data.csv' SELECT 1", "a file is written through a table: CREATE TABLE t WITH"),
        ("CREATE TBLE t (a INT)", "did you mean TABLE"),
        ("SELECT value FROM t", "VALUE is a reserved word; as a name it needs back-ticks: `value`"),
        ("CREATE TABLE value (a INT)", "VALUE is a reserved word; as a name it needs back-ticks: `value`"),
        ("INSERT INTO t (a, date) VALUES (1, 2)", "DATE is a reserved word; as a name it needs back-ticks: `date`"),
        ("WITH value (a) AS (SELECT 1) SELECT * FROM value", "VALUE is a reserved word; as a name it needs back-ticks: `value`"),
        ("SELECT * FROM (VALUES (1)) AS value (a)", "VALUE is a reserved word; as a name it needs back-ticks: `value`"),
        ("SELECT value (1)", "VALUE is a reserved word, not a function"),
        ("SELECT * FROM value(1)", "VALUE is a reserved word, not a function"),
        ("SELECT * FROM TABLE(value(1))", "VALUE is a reserved word, not a function"),
        ("SELECT 1 AS one", "ONE is a reserved word"),
        ("SELECT t.date FROM t", "DATE is a reserved word"),
        ("SELECT CORR(a, b) FROM t", "not a function"),
        ('SELECT "a" FROM t', "back-ticks"),
        ("SELECT 'it's'", "doubled"),
        ("SELECT a && b", "AND"),
        ("SELECT @x", "args"),
        ("SELECT a, FROM t", "remove the comma"),
        ("SELECT (1 + 2", "closing parenthesis"),
        ("SELECT 1 WHERE a IN ()", "at least one value"),
        ("SELECT a INTO x FROM t", "INSERT INTO"),
        ("SELECT CASE WHEN a THEN 1", "closed by END"),
        ("SELECT a /*+ X */", "after SELECT or after the name of a table"),
        ("SELECT 1 # c", "comment begins with --"),
        ("\\timing", "prompt of the SQL client"),
    ],
)
def test_classic_mistake_gets_advice(text: str, hint: str) -> None:
    assert hint in str(error_of(text).hint)


@pytest.mark.parametrize("text", ["SELECT 'abc", "SELECT `abc", "SELECT /* abc", "SELECT /* " + "*" * 1000])
def test_open_quote_or_comment_is_shown_where_it_begins(text: str) -> None:
    error = error_of(text)
    assert "not closed" in error.message
    assert error.position is not None
    assert error.position.column == 8


@pytest.mark.parametrize("text", ["", "  ", "-- only a comment"])
def test_empty_statement_is_an_error(text: str) -> None:
    assert error_of(text).message.startswith("The statement is empty")


# --- nesting ----------------------------------------------------------------------------------------------------------------------

NESTED = {
    "parentheses": ("(", "1", ")"),
    "calls": ("ABS(", "1", ")"),
    "cases": ("CASE WHEN a THEN ", "1", " END"),
    "subqueries": ("(SELECT ", "1", ")"),
    "derived tables": ("(SELECT a FROM ", "(SELECT 1)", ")"),
    "set operations": ("(", "SELECT 1", " UNION SELECT 2)"),
    "arrays": ("ARRAY[", "1", "]"),
    "every precedence": ("a OR a AND NOT a = a + a * - (", "1", ")"),
}


@pytest.mark.parametrize("kind", NESTED)
def test_nesting_of_500_levels_is_parsed(kind: str) -> None:
    opening, inner, closing = NESTED[kind]
    depth = MAX_DEPTH - inner.count("(")
    parse_expression(opening * depth + inner + closing * depth)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 5_000])
@pytest.mark.parametrize("kind", NESTED)
def test_deeper_nesting_is_our_error(kind: str, depth: int) -> None:
    opening, inner, closing = NESTED[kind]
    with pytest.raises(SqlParserException, match="nested more than 500 levels"):
        parse_expression(opening * depth + inner + closing * depth)


@pytest.mark.parametrize(
    "text", ["NOT " * 5_000 + "a", "- " * 5_000 + "a", "a + " * 5_000 + "a", "a" + "[1]" * 5_000, "a AND " * 5_000 + "a"]
)
def test_long_chains_need_no_stack(text: str) -> None:
    parse_expression(text)


def test_deep_types_are_our_error() -> None:
    with pytest.raises(SqlParserException, match="Types may be nested"):
        parse_expression("CAST(a AS " + "ARRAY<" * 1000 + "INT" + ">" * 1000 + ")")


def test_recursion_limit_is_restored_after_parallel_deep_parses() -> None:
    before = sys.getrecursionlimit()
    text = "(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH
    failures: list[BaseException] = []

    def run() -> None:
        try:
            for _ in range(10):
                parse_expression(text)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sys.getrecursionlimit() == before


def test_long_value_list_is_parsed() -> None:
    call = parse_expression(f"a IN ({', '.join(map(str, range(20_000)))})")
    assert len(call.args) == 20_001  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["SELECT f(1,", "SELECT MAP['a',", "SELECT a FROM t WHERE a IN (", "VALUES (1, 'x',"])
def test_a_list_that_breaks_off_says_that_the_statement_ends(text: str) -> None:
    assert error_of(text).message.startswith("Unexpected end of the statement")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("FROM t", "SELECT * FROM t"),
        ("FROM c.`d e`.t WHERE a = 1", "SELECT * FROM c.`d e`.t"),
        ("from 'a.csv' SELECT a", "SELECT * FROM 'a.csv'"),
        ("FROM", "SELECT * FROM t"),
    ],
)
def test_a_query_that_begins_with_from_is_refused_with_select(text: str, query: str) -> None:
    assert error_of(text).hint == f"a query begins with SELECT: {query}"
