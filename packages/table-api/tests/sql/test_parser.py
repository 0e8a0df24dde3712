"""Scripts, boundaries of statements, places of nodes."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import Call, UnresolvedExpression
from table_api.sql.ast import Insert, Select, TableNameRef
from table_api.sql.parser import parse_expression, parse_script, parse_statement, split_statements
from table_common.tree import preorder


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in split_statements(text)]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("SELECT 1; SELECT 2;", ["SELECT 1", "SELECT 2"]),
        ("SELECT 1", ["SELECT 1"]),
        (" ; ;; ", []),
        ("", []),
        ("SELECT ';' ; SELECT `a;b` -- c;d\n; SELECT 3 /* ; */", ["SELECT ';'", "SELECT `a;b`", "SELECT 3"]),
        (
            "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT CASE WHEN x THEN 1 END; INSERT INTO b SELECT 2; END; SELECT 1",
            ["EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT CASE WHEN x THEN 1 END; INSERT INTO b SELECT 2; END", "SELECT 1"],
        ),
        ("BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END;", ["BEGIN STATEMENT SET", "INSERT INTO a SELECT 1", "END"]),
        ("SELECT 1; SELECT 'open ; text", ["SELECT 1", "SELECT 'open ; text"]),
        ("SELECT 1; nonsense ( ; SELECT 2", ["SELECT 1", "nonsense (", "SELECT 2"]),
        ("SELECT 1; 'open", ["SELECT 1", "'open"]),
        ('SELECT "a;b"; SELECT @x; SELECT 3', ['SELECT "a;b"', "SELECT @x", "SELECT 3"]),
        ('SELECT "open; SELECT 2', ['SELECT "open; SELECT 2']),
        ("SELECT “a;b”, ‘c;d’, ’e;f’; SELECT 2", ["SELECT “a;b”, ‘c;d’, ’e;f’", "SELECT 2"]),
        ("# don't; DROP TABLE t;\nSELECT 1; SELECT 2", ["# don't; DROP TABLE t;\nSELECT 1", "SELECT 2"]),
        ("\\d t; u\n; SELECT 2", ["\\d t; u", "SELECT 2"]),
    ],
)
def test_statements_are_split_at_their_semicolons(text: str, statements: list[str]) -> None:
    assert pieces(text) == statements


def test_script_gives_every_statement_with_its_place() -> None:
    text = "SELECT 1;;\n INSERT INTO t SELECT ';' ; "
    found = parse_script(text)
    assert [type(statement) for statement, _ in found] == [Select, Insert]
    assert [text[start:end] for _, (start, end) in found] == ["SELECT 1", "INSERT INTO t SELECT ';'"]


def test_every_expression_has_a_place_inside_of_its_parent() -> None:
    text = "f(a.b, -c + 1) BETWEEN CAST(d AS INT) AND x[1].y OR NOT g(DISTINCT h) IS NULL AND (i, 'j') IN ((1, 'k'))"
    root = parse_expression(text)
    for node in preorder(root, UnresolvedExpression):
        assert node.span is not None
        assert 0 <= node.span.start < node.span.end <= len(text)


def test_span_of_a_call_covers_its_text() -> None:
    text = "SELECT 1, UPPER( a ) FROM t"
    query = parse_statement(text)
    assert isinstance(query, Select)
    call = query.projection[1]
    assert isinstance(call, Call)
    assert call.span is not None
    assert call.name_span is not None
    assert (text[slice(*call.span)], text[slice(*call.name_span)]) == ("UPPER( a )", "UPPER")


def test_span_of_a_table_covers_its_alias_and_path_span_does_not() -> None:
    text = "SELECT * FROM c.`d e`.t AS x"
    query = parse_statement(text)
    assert isinstance(query, Select)
    assert isinstance(query.source, TableNameRef)
    assert query.source.span is not None
    assert query.source.path_span is not None
    assert text[slice(*query.source.span)] == "c.`d e`.t AS x"
    assert text[slice(*query.source.path_span)] == "c.`d e`.t"


def test_places_take_no_part_in_equality() -> None:
    assert parse_statement("SELECT  a+1  FROM t") == parse_statement("SELECT a + 1 FROM t -- x")
