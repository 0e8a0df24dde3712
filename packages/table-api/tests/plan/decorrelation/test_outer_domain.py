"""The distinct outer values of a correlated query, and the query joined with them."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import DistinctQueryOperation, JoinQueryOperation, OuterReferenceExpression, QueryOperation
from table_api.plan.calls import call, number, reference
from table_api.plan.decorrelation.outer_domain import Domain, materialized
from table_api.plan.decorrelation.result import Decorrelated
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import arithmetic, comparison
from table_common.tree import preorder


@pytest.fixture
def tables(session: Any) -> tuple[QueryOperation, QueryOperation]:
    def query(sql: str) -> QueryOperation:
        operation = convert_statement(parse_statement(sql), session, sql)
        assert isinstance(operation, QueryOperation)
        return operation

    return query("SELECT name, age FROM t"), query("SELECT id, name FROM u")


@pytest.fixture
def domain(tables: tuple[QueryOperation, QueryOperation]) -> Domain:
    """The arguments are the name and the age of the outer row."""
    rows = tables[0]
    return Domain(rows, (reference(rows, 0), call(arithmetic.PLUS, reference(rows, 1), number(1))))


@pytest.fixture
def inner(tables: tuple[QueryOperation, QueryOperation]) -> Decorrelated:
    return Decorrelated.plain(tables[1])


def joins(plan: QueryOperation) -> int:
    return sum(isinstance(node, JoinQueryOperation) for node in preorder(plan, QueryOperation))


def test_an_argument_that_is_a_column_keeps_its_name(domain: Domain) -> None:
    assert domain.reference(0) == OuterReferenceExpression("name", domain.arguments[0].output_type, 0)
    assert domain.reference(1).name == "$arg1"


def test_the_values_of_the_same_arguments_are_one_shared_plan(domain: Domain) -> None:
    values = domain.values((0,))
    assert isinstance(values, DistinctQueryOperation)
    assert domain.values((0,)) is values
    assert domain.values((0, 1)).resolved_schema.column_names == ("name", "$arg1")


def test_a_query_that_uses_no_argument_is_not_joined(domain: Domain, inner: Decorrelated) -> None:
    bound = domain.bind(inner)
    assert (bound.width, bound.arguments, joins(bound.plan)) == (2, (), 0)


def test_an_argument_that_equals_a_column_is_that_column(domain: Domain, inner: Decorrelated) -> None:
    equal = call(comparison.EQUALS, inner.outputs[1], domain.reference(0))
    bound = domain.bind(replace(inner, conditions=(equal,)))
    assert (joins(bound.plan), bound.arguments) == (0, (0,))
    assert bound.column_of(0).name == "name"
    assert bound.argument_columns == (bound.column_of(0),)


def test_only_outer_values_are_joined_even_where_a_column_is_equal(domain: Domain, inner: Decorrelated) -> None:
    equal = call(comparison.EQUALS, inner.outputs[1], domain.reference(0))
    assert joins(domain.bind(replace(inner, conditions=(equal,)), only_outer_values=True).plan) == 1


def test_other_arguments_come_from_a_join_with_their_values(domain: Domain, inner: Decorrelated) -> None:
    less = call(comparison.LESS_THAN, inner.outputs[0], domain.reference(1))
    bound = domain.bind(replace(inner, conditions=(less,)), also=(0,))
    assert (joins(bound.plan), bound.arguments) == (1, (0, 1))


def test_a_bound_query_compares_its_argument_columns_with_the_outer_row(domain: Domain, inner: Decorrelated) -> None:
    less = call(comparison.LESS_THAN, inner.outputs[0], domain.reference(1))
    unnested = domain.unnested(domain.bind(replace(inner, conditions=(less,))))
    assert len(unnested.outputs) == 2
    assert [str(condition) for condition in unnested.conditions] == ["($arg1 IS NOT DISTINCT FROM outer.$arg1)"]


def test_an_expression_is_added_once_and_a_column_not_at_all(inner: Decorrelated) -> None:
    next_id = call(arithmetic.PLUS, inner.outputs[0], number(1))
    plan, columns = materialized(inner, [inner.outputs[1], next_id, next_id])
    assert plan.resolved_schema.column_names == ("id", "name", "$e2")
    assert [column.field_index for column in columns] == [1, 2, 2]
