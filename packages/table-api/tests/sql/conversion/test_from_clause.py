"""FROM: joins, USING, samples and aliases."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import FilterQueryOperation, JoinQueryOperation, JoinType, ProjectQueryOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException


@pytest.fixture
def convert(session: Any) -> Any:
    return lambda text: convert_statement(parse_statement(text), session, text)


def test_using_shows_the_joined_column_once(convert: Any) -> None:
    operation = convert("SELECT * FROM t JOIN u USING (name)")
    assert operation.resolved_schema.column_names == ("name", "age", "pay", "r", "id")


def test_a_semi_join_has_the_columns_of_the_left_side(convert: Any) -> None:
    operation = convert("SELECT * FROM t LEFT SEMI JOIN u ON t.name = u.name")
    assert operation.resolved_schema.column_names == ("name", "age", "pay", "r")
    assert isinstance(operation, ProjectQueryOperation)
    assert isinstance(operation.child, JoinQueryOperation)
    assert operation.child.join_type is JoinType.SEMI


def test_a_sample_is_a_filter_on_a_random_number(convert: Any) -> None:
    operation = convert("SELECT * FROM t TABLESAMPLE BERNOULLI (50)")
    assert isinstance(operation.child, FilterQueryOperation)
    assert str(operation.child.condition).endswith("0.5)") or "0.5" in str(operation.child.condition)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT * FROM t JOIN u", "INNER JOIN needs a condition"),
        ("SELECT * FROM t, t", "t' is in FROM more than once"),
        ("SELECT * FROM t TABLESAMPLE SYSTEM (101)", "a number from 0 to 100"),
        ("SELECT * FROM t JOIN u USING (age)", "'age'"),
        ("SELECT * FROM u AS x (a)", "has 2 columns, but the alias has 1 names"),
    ],
)
def test_a_wrong_table_reference_says_what_is_wrong(convert: Any, text: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        convert(text)


@pytest.mark.parametrize("join", [" NATURAL JOIN u", " CROSS JOIN u", ", u"])
def test_very_many_joins_are_an_error(convert: Any, join: str) -> None:
    with pytest.raises(ValidationException, match="The query has 20,000 nested operations, but at most 2,000 are supported"):
        convert("SELECT 1 FROM t" + join * 20_000)


def test_an_error_in_one_of_many_joins_has_its_position(convert: Any) -> None:
    with pytest.raises(ValidationException, match="A INNER JOIN needs a condition") as raised:
        convert("SELECT 1 FROM t\nJOIN u\nCROSS JOIN u AS v\nCROSS JOIN u AS w")
    assert raised.value.position is not None
    assert raised.value.position.line == 1
