"""Queries inside of queries: which names they see, what they are refused for and where."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import (
    OuterReferenceExpression,
    QueryOperation,
    SubqueryExpression,
    has_outer_references,
)
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.tree import preorder


@pytest.fixture
def convert(session: Any) -> Any:
    def run(query: str) -> QueryOperation:
        operation = convert_statement(parse_statement(query), session, query)
        assert isinstance(operation, QueryOperation)
        return operation

    return run


def only_subquery(operation: QueryOperation) -> SubqueryExpression:
    """Returns the one query in the expressions of a plan, not counting those inside of it."""
    found = [
        node
        for plan in preorder(operation, QueryOperation)
        for expression in plan.expressions
        for node in preorder(expression, ResolvedExpression)
        if isinstance(node, SubqueryExpression)
    ]
    (subquery,) = found
    return subquery


@pytest.mark.parametrize(
    ("query", "message", "column"),
    [
        ("SELECT name FROM t WHERE age IN (SELECT id, name FROM u)", "compares one value with a query of 2 columns", 26),
        ("SELECT name FROM t WHERE (age, name) IN (SELECT id FROM u)", "compares 2 values with a query of 1 column,", 26),
        ("SELECT (SELECT id, name FROM u) FROM t", "has one column, but this one has 2", 8),
        ("SELECT name FROM t WHERE age IN (SELECT r FROM t)", "EQUALS", 26),
        ("SELECT name FROM t WHERE (age, name) > ALL (SELECT id, name FROM u)", "one value, not a row", 26),
        ("SELECT name FROM t WHERE EXISTS (SELECT 1 FROM u WHERE nme = t.name)", "'nme'", 56),
        ("SELECT name FROM t AS x WHERE EXISTS (SELECT 1 FROM u WHERE t.age = 1)", "'t'", 61),
        ("SELECT a.name FROM t AS a, t AS b WHERE EXISTS (SELECT 1 FROM u WHERE age = 1)", "ambiguous", 71),
        ("SELECT name FROM t, (SELECT id FROM u WHERE u.name = t.name) AS s", "'t'", 54),
        ("SELECT name FROM t RIGHT JOIN LATERAL (SELECT id FROM u WHERE u.id = t.age) AS s ON TRUE", "RIGHT JOIN cannot", 18),
        ("SELECT name FROM t CROSS JOIN UNNEST(t.age) AS s(x)", "ARRAY, MAP or MULTISET", 38),
        ("SELECT name FROM t CROSS JOIN UNNEST(ARRAY[age]) AS s(x, y)", "has 1 column, but the alias has 2 names", 31),
        ("SELECT name FROM t CROSS JOIN UNNEST(ARRAY[age], ARRAY[age]) AS s(x, y)", "one collection", 31),
    ],
)
def test_a_query_is_refused_at_its_place(query: str, message: str, column: int, convert: Any) -> None:
    with pytest.raises(ValidationException, match=message) as caught:
        convert(query)
    position = caught.value.position
    assert position is not None
    assert position.column == column


def test_a_name_is_looked_up_inside_first(convert: Any) -> None:
    subquery = only_subquery(convert("SELECT age FROM t WHERE EXISTS (SELECT 1 FROM u WHERE name = 'a')"))
    assert subquery.arguments == ()
    assert not has_outer_references(subquery.query)


def test_a_name_that_is_not_inside_is_an_argument(convert: Any) -> None:
    subquery = only_subquery(convert("SELECT age FROM t WHERE EXISTS (SELECT 1 FROM u WHERE id = age)"))
    (argument,) = subquery.arguments
    assert isinstance(argument, FieldReferenceExpression)
    assert argument.name == "age"


def test_a_deeper_query_takes_outer_names_through_the_one_around_it(convert: Any) -> None:
    outer = only_subquery(convert("SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM u AS v WHERE v.id = age))"))
    inner = only_subquery(outer.query)
    assert [type(argument) for argument in outer.arguments] == [FieldReferenceExpression]
    assert [type(argument) for argument in inner.arguments] == [OuterReferenceExpression]


def test_a_query_of_with_is_numbered_anew_where_it_is_used_deeper(convert: Any) -> None:
    query = """SELECT (WITH m AS (SELECT pay, age FROM t AS i WHERE i.name = u.name) SELECT MAX(pay) FROM t AS o
               WHERE o.r.x = u.id AND EXISTS (SELECT 1 FROM m WHERE m.age = o.age)) FROM u"""
    inner = only_subquery(only_subquery(convert(query)).query)
    assert [getattr(argument, "name", None) for argument in inner.arguments] == ["name", "age"]
    assert [type(argument) for argument in inner.arguments] == [OuterReferenceExpression, FieldReferenceExpression]


def test_arguments_are_grouped_with_their_query(convert: Any) -> None:
    subquery = only_subquery(convert("SELECT name, (SELECT MAX(id) FROM u WHERE u.name = t.name) FROM t GROUP BY name"))
    (argument,) = subquery.arguments
    assert isinstance(argument, FieldReferenceExpression)
    assert argument.field_index == 0


def test_arguments_that_are_not_grouped_are_refused(convert: Any) -> None:
    with pytest.raises(ValidationException, match="'age' is neither in GROUP BY"):
        convert("SELECT name, (SELECT MAX(id) FROM u WHERE u.id = t.age) FROM t GROUP BY name")


@pytest.mark.parametrize(
    ("expression", "output_type"),
    [
        ("EXISTS (SELECT 1 FROM u)", "BOOLEAN NOT NULL"),
        ("1 IN (SELECT id FROM u)", "BOOLEAN NOT NULL"),
        ("age IN (SELECT id FROM u)", "BOOLEAN"),
        ("1 IN (SELECT name FROM u WHERE id = 1)", None),
        ("(SELECT id FROM u)", "BIGINT"),
        ("(SELECT COUNT(*) FROM u)", "BIGINT"),
        ("ARRAY(SELECT id FROM u)", "ARRAY<BIGINT NOT NULL>"),
    ],
)
def test_the_type_of_a_query_as_a_value(expression: str, output_type: str | None, convert: Any) -> None:
    query = f"SELECT {expression} AS x FROM t"
    if output_type is None:
        with pytest.raises(ValidationException):
            convert(query)
        return
    assert str(convert(query).resolved_schema.columns[0].data_type) == output_type
