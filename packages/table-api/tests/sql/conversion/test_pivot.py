"""PIVOT and UNPIVOT: what they become, the names of their columns, and where their errors point."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import (
    AggregateQueryOperation,
    FilterQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
)
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import SqlParserException, ValidationException
from table_common.tree import preorder

INPUT = "(VALUES ('a', 2020, 'x', 1)) AS t(k, y, s, n)"


@pytest.fixture
def converted(session: Any) -> Any:
    def run(rest: str, **parameters: object) -> QueryOperation:
        query = f"SELECT * FROM {INPUT} {rest}"
        operation = convert_statement(parse_statement(query, parameters=parameters), session, query)
        assert isinstance(operation, QueryOperation)
        return operation

    return run


def kinds(operation: QueryOperation) -> set[type[QueryOperation]]:
    return {type(node) for node in preorder(operation, QueryOperation)}


def test_pivot_is_made_of_projections_and_one_aggregate(converted: Any) -> None:
    found = converted("PIVOT (SUM(n), MAX(n) AS most FOR y IN (2020, 2021))")
    assert kinds(found) == {ProjectQueryOperation, AggregateQueryOperation, ValuesQueryOperation}


def test_unpivot_reads_its_input_once(converted: Any) -> None:
    found = converted("UNPIVOT (v FOR name IN (y, n))")
    assert kinds(found) == {ProjectQueryOperation, FilterQueryOperation, UnnestQueryOperation, ValuesQueryOperation}


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ("FOR y IN (2020, -1, 2021 AS later, 5 other)", ("2020", "-1", "later", "other")),
        ("FOR s IN ('it''s', 'x')", ("it's", "x")),
        ("FOR s IN (NULL)", ("NULL",)),
        ("FOR (y, s) IN ((1, 'x'), (2, 'y') AS z)", ("1_x", "z")),
        ("FOR y IN (:value)", ("7",)),
    ],
)
def test_values_name_the_columns(converted: Any, values: str, names: tuple[str, ...]) -> None:
    assert converted(f"PIVOT (SUM(n) {values})", value=7).resolved_schema.column_names[-len(names) :] == names


def test_the_name_of_an_aggregate_stands_behind_that_of_the_value(converted: Any) -> None:
    names = converted("PIVOT (SUM(n) AS total, COUNT(*) c FOR y IN (1 AS a))").resolved_schema.column_names
    assert names == ("k", "s", "a_total", "a_c")


def test_columns_of_aggregates_and_of_for_do_not_group(converted: Any) -> None:
    names = converted("PIVOT (SUM(n) FILTER (WHERE s = 'x') FOR y IN (1 AS a))").resolved_schema.column_names
    assert names == ("k", "a")


@pytest.mark.parametrize(
    ("rest", "column", "length"),
    [
        ("PIVOT (SUM(m) FOR y IN (1))", 11, 1),
        ("PIVOT (SUM(n) FOR yy IN (1))", 18, 2),
        ("PIVOT (SUM(n) FOR y IN (1 AS k))", 24, 6),
        ("PIVOT (SUM(n) FOR y IN (1, 1))", 27, 1),
        ("PIVOT (SUM(n) FOR y IN (n))", 24, 1),
        ("PIVOT (SUM(n) FOR (y, s) IN ((1, 'x'), (1)))", 39, 3),
        ("PIVOT (SUM(n) FOR y IN (DATE '2020-01-01'))", 24, 17),
        ("PIVOT (n FOR y IN (1))", 7, 1),
        ("UNPIVOT (v FOR name IN (y, z))", 27, 1),
        ("UNPIVOT ((v, w) FOR name IN (y))", 29, 1),
    ],
)
def test_an_error_points_to_its_place(converted: Any, rest: str, column: int, length: int) -> None:
    with pytest.raises(ValidationException) as caught:
        converted(rest)
    position = caught.value.position
    assert position is not None
    assert (position.column, position.length) == (len(f"SELECT * FROM {INPUT} ") + column + 1, length)


def test_nothing_behind_pivot_is_a_syntax_error(converted: Any) -> None:
    with pytest.raises(SqlParserException, match=r"expected '\('"):
        converted("PIVOT")


def test_pivots_follow_each_other(converted: Any) -> None:
    found = converted("PIVOT (SUM(n) FOR y IN (1 AS a, 2 AS b)) AS p UNPIVOT (n FOR y IN (a, b)) AS u (c, d, e, f)")
    assert found.resolved_schema.column_names == ("c", "d", "e", "f")
