"""Calls with OVER windows become columns below the expressions that use them."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import (
    AggregateQueryOperation,
    FilterQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    WindowQueryOperation,
)
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement


@pytest.fixture
def query(session: Any) -> Any:
    """Converts a query."""

    def convert(text: str) -> QueryOperation:
        operation = convert_statement(parse_statement(text), session, text)
        assert isinstance(operation, QueryOperation)
        return operation

    return convert


def window_of(operation: QueryOperation) -> WindowQueryOperation:
    while not isinstance(operation, WindowQueryOperation):
        (operation,) = operation.children
    return operation


def test_a_call_becomes_a_column_behind_those_of_its_input(query: Any) -> None:
    operation = query("SELECT age, SUM(age) OVER (PARTITION BY name ORDER BY pay) + 1 FROM t")
    assert isinstance(operation, ProjectQueryOperation)
    window = window_of(operation)
    assert window.resolved_schema.column_names == ("name", "age", "pay", "r", "$w0")
    assert [key.field_index for key in window.partition_by] == [0]


def test_calls_with_one_window_share_a_node(query: Any) -> None:
    window = window_of(query("SELECT SUM(age) OVER (ORDER BY pay), RANK() OVER (ORDER BY pay), SUM(age) OVER (ORDER BY pay) FROM t"))
    assert len(window.calls) == 2
    assert not isinstance(window.child, WindowQueryOperation)


def test_each_window_is_a_node_of_its_own(query: Any) -> None:
    window = window_of(query("SELECT RANK() OVER (ORDER BY pay), RANK() OVER (ORDER BY age) FROM t"))
    assert isinstance(window.child, WindowQueryOperation)


def test_arguments_and_keys_are_computed_below(query: Any) -> None:
    window = window_of(query("SELECT SUM(age + 1) OVER (PARTITION BY UPPER(name) ORDER BY age + 1) FROM t"))
    assert isinstance(window.child, ProjectQueryOperation)
    assert window.child.resolved_schema.column_names == ("name", "age", "pay", "r", "$o0", "$o1")


def test_windows_come_after_grouping(query: Any) -> None:
    window = window_of(query("SELECT name, SUM(SUM(age)) OVER (ORDER BY name) FROM t GROUP BY name HAVING COUNT(*) > 1"))
    assert isinstance(window.child, FilterQueryOperation)
    assert isinstance(window.child.child, AggregateQueryOperation)


def test_windows_in_order_by_are_computed_and_dropped(query: Any) -> None:
    assert query("SELECT name FROM t ORDER BY RANK() OVER (ORDER BY pay)").resolved_schema.column_names == ("name",)
