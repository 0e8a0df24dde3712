"""JSON functions: clauses become arguments in the order of the built-in definitions."""

from __future__ import annotations

import pytest

from table_api.expressions.summary import summary_of
from table_api.sql.parser import parse_expression
from table_common.exceptions import SqlParserException


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("JSON_EXISTS(a, '$.b')", "JSON_EXISTS(a, '$.b')"),
        ("JSON_EXISTS(a, '$.b' ERROR ON ERROR)", "JSON_EXISTS(a, '$.b', ERROR)"),
        ("JSON_VALUE(a, '$.b')", "JSON_VALUE(a, '$.b')"),
        ("JSON_VALUE(a, '$.b' RETURNING INT NULL ON EMPTY ERROR ON ERROR)", "JSON_VALUE(a, '$.b', INT, NULL, NULL, ERROR, NULL)"),
        ("JSON_VALUE(a, '$.b' DEFAULT 'x' ON EMPTY)", "JSON_VALUE(a, '$.b', STRING, DEFAULT, 'x', NULL, NULL)"),
        ("JSON_OBJECT('k' VALUE 1, KEY 'l' VALUE 2)", "JSON_OBJECT(NULL_ON_NULL, 'k', 1, 'l', 2)"),
        ("JSON_OBJECT('k' : 1 ABSENT ON NULL)", "JSON_OBJECT(ABSENT_ON_NULL, 'k', 1)"),
        ("JSON_ARRAY(1, 2 NULL ON NULL)", "JSON_ARRAY(NULL_ON_NULL, 1, 2)"),
        ("JSON_OBJECTAGG(a VALUE b ABSENT ON NULL)", "JSON_OBJECTAGG_ABSENT_ON_NULL(a, b)"),
    ],
)
def test_clauses_are_arguments(text: str, summary: str) -> None:
    assert summary_of(parse_expression(text)) == summary


def test_the_last_of_several_clauses_counts() -> None:
    text = "JSON_QUERY(a, '$.b' EMPTY ARRAY ON ERROR NULL ON EMPTY NULL ON ERROR)"
    assert summary_of(parse_expression(text)) == "JSON_QUERY(a, '$.b', STRING, WITHOUT_ARRAY, NULL, NULL)"


def test_a_wrapper_comes_before_what_is_returned_on_empty() -> None:
    with pytest.raises(SqlParserException, match="Unexpected"):
        parse_expression("JSON_QUERY(a, '$.b' NULL ON EMPTY WITHOUT WRAPPER)")
