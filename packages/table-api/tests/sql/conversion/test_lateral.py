"""LATERAL and UNNEST: correlation with the left row, and the columns of UNNEST."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import (
    CorrelateQueryOperation,
    QueryOperation,
    UnnestQueryOperation,
)
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.tree import preorder


@pytest.fixture
def convert(session: Any) -> Any:
    def run(query: str) -> QueryOperation:
        operation = convert_statement(parse_statement(query), session, query)
        assert isinstance(operation, QueryOperation)
        return operation

    return run


def test_lateral_notes_what_it_uses_of_the_left_row(convert: Any) -> None:
    plan = convert("SELECT s.id FROM t, LATERAL (SELECT id FROM u WHERE u.name = t.name) AS s")
    (correlate,) = [node for node in preorder(plan, QueryOperation) if isinstance(node, CorrelateQueryOperation)]
    assert [str(argument) for argument in correlate.arguments] == ["name"]


def test_lateral_that_uses_nothing_is_a_join(convert: Any) -> None:
    plan = convert("SELECT s.id FROM t, LATERAL (SELECT id FROM u) AS s")
    assert not any(isinstance(node, CorrelateQueryOperation) for node in preorder(plan, QueryOperation))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("UNNEST(ARRAY[1, 2])", ["EXPR$0"]),
        ("UNNEST(ARRAY[1, 2]) AS x", ["x"]),
        ("UNNEST(ARRAY[1, 2]) WITH ORDINALITY AS x", ["EXPR$0", "ORDINALITY"]),
        ("UNNEST(ARRAY[1, 2]) WITH ORDINALITY AS t (a, b)", ["a", "b"]),
        ("UNNEST(MAP['a', 1])", ["KEY", "VALUE"]),
        ("UNNEST(ARRAY[CAST(ROW(1, 2) AS ROW<p INT, q INT>)])", ["p", "q"]),
    ],
)
def test_the_columns_of_unnest(source: str, names: list[str], convert: Any) -> None:
    assert list(convert(f"SELECT * FROM {source}").resolved_schema.column_names) == names


def test_unnest_of_a_column_needs_no_correlation(convert: Any) -> None:
    plan = convert("SELECT x FROM t CROSS JOIN UNNEST(ARRAY[t.age]) AS s (x)")
    (unnest,) = [node for node in preorder(plan, QueryOperation) if isinstance(node, UnnestQueryOperation)]
    assert unnest.child.resolved_schema.column_names == ("name", "age", "pay", "r")
