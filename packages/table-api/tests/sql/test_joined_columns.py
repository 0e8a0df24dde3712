"""The types of columns that USING and NATURAL make of two, and the text of aggregates in plans."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import QueryOperation
from table_api.plan.explain import plan_text
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement


@pytest.fixture
def convert(session: Any) -> Any:
    def run(query: str) -> QueryOperation:
        operation = convert_statement(parse_statement(query), session, query)
        assert isinstance(operation, QueryOperation)
        return operation

    return run


def test_the_column_of_an_inner_join_is_not_null_if_one_side_is(convert: Any) -> None:
    nullable = "(SELECT CAST(NULL AS BIGINT) AS id)"
    operation = convert(f"SELECT id FROM {nullable} JOIN u USING (id)")
    assert str(operation.resolved_schema.columns[0].data_type) == "BIGINT NOT NULL"


def test_the_column_of_a_left_join_is_that_of_the_left_side(convert: Any) -> None:
    operation = convert("SELECT id FROM (SELECT CAST(NULL AS BIGINT) AS id) LEFT JOIN u USING (id)")
    assert str(operation.resolved_schema.columns[0].data_type) == "BIGINT"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("COUNT(*)", "COUNT(*)"),
        ("COUNT(DISTINCT age)", "COUNT(DISTINCT age)"),
        ("LISTAGG(name, ';')", "LISTAGG(name, ';')"),
        ("JSON_OBJECTAGG(KEY name VALUE age)", "JSON_OBJECTAGG(KEY name VALUE age NULL ON NULL)"),
    ],
)
def test_a_plan_shows_an_aggregate_as_sql(convert: Any, call: str, text: str) -> None:
    assert text in plan_text(convert(f"SELECT {call} FROM t"))
