"""Queries: set operations, WITH, VALUES, ORDER BY and LIMIT."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import SetQueryOperation, SortQueryOperation, ValuesQueryOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import TableException, ValidationException


@pytest.fixture
def convert(session: Any) -> Any:
    return lambda text: convert_statement(parse_statement(text), session, text)


def test_a_chain_of_one_set_operation_is_one_node(convert: Any) -> None:
    operation = convert("SELECT age FROM t UNION ALL SELECT age FROM t UNION ALL SELECT age FROM t")
    assert isinstance(operation, SetQueryOperation)
    assert len(operation.inputs) == 3


def test_order_and_limit_belong_to_the_whole_set_operation(convert: Any) -> None:
    operation = convert("SELECT age FROM t UNION SELECT age FROM t ORDER BY age LIMIT 2")
    assert isinstance(operation, SortQueryOperation)
    assert (len(operation.orders), operation.fetch) == (1, 2)
    assert isinstance(operation.child, SetQueryOperation)


def test_a_query_of_with_hides_a_table(convert: Any) -> None:
    operation = convert("WITH t AS (VALUES (1)) SELECT * FROM t")
    assert operation.resolved_schema.column_names == ("EXPR$0",)


def test_values_are_rows_of_constants(convert: Any) -> None:
    operation = convert("VALUES (1, 'a'), (2, 'b')")
    assert isinstance(operation, ValuesQueryOperation)
    assert len(operation.rows) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("WITH q AS (SELECT 1), q AS (SELECT 2) SELECT * FROM q", "WITH names 'q' twice"),
        ("WITH q (a, b) AS (SELECT 1) SELECT * FROM q", "has 1 columns, but the alias has 2 names"),
        ("SELECT age FROM t LIMIT :n", "need values"),
    ],
)
def test_a_wrong_query_says_what_is_wrong(convert: Any, text: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        convert(text)


def test_recursion_is_not_supported(convert: Any) -> None:
    with pytest.raises(TableException, match="WITH RECURSIVE is not supported"):
        convert("WITH RECURSIVE q AS (SELECT 1) SELECT * FROM q")
