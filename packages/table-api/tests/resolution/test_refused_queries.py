"""Queries that are refused when they are converted: what the message says."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT JSON(name) FROM t", "only be used as an argument of JSON_OBJECT"),
        ("SELECT UPPER(JSON(name)) FROM t", "only be used as an argument of JSON_OBJECT"),
        ("SELECT JSON_ARRAYAGG(JSON(name)) FROM t", "only be used as an argument of JSON_OBJECT"),
        ("SELECT COUNT(DISTINCT age, name) FROM t", "values of one column"),
        ("SELECT COUNT(*) FROM t GROUP BY MAP[name, age]", "GROUP BY cannot take .* of type MAP<STRING, INT>"),
        ("SELECT GROUP_ID() FROM t", "only be used with GROUP BY"),
        ("SELECT 1e0 / 0", "A constant is divided by zero"),
        ("SELECT 1.0 / 0", "A constant is divided by zero"),
    ],
)
def test_a_query_is_refused(query: str, message: str, session: Any) -> None:
    with pytest.raises(ValidationException, match=message) as caught:
        convert_statement(parse_statement(query), session, query)
    assert caught.value.position is not None


@pytest.mark.parametrize("query", ["SELECT JSON_OBJECT('a' VALUE JSON(name)) FROM t", "SELECT age / 0 FROM t", "SELECT NULL / 0"])
def test_a_query_is_accepted(query: str, session: Any) -> None:
    convert_statement(parse_statement(query), session, query)
