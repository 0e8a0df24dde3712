"""What becomes of adjacent nodes before they are lowered."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
)
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import aggregates, arithmetic
from table_common.tree import preorder
from table_common.types import BigIntType, IntType
from table_planner_spark.lowering.fusion import fuse

INT = IntType()
ROWS = "(VALUES (1, 10, 'a'), (1, 20, 'b'), (2, 5, 'c'), (2, CAST(NULL AS INT), 'd')) AS t(k, v, s)"


@pytest.fixture
def source(run: Any) -> QueryOperation:
    """The rows, as a node without children."""
    *_, leaf = preorder(run.environment.sql_query(f"SELECT * FROM {ROWS}")._operation, QueryOperation)
    return leaf


def column(index: int) -> FieldReferenceExpression:
    return FieldReferenceExpression(f"c{index}", INT, 0, index)


def plus(left: ResolvedExpression, right: ResolvedExpression) -> ResolvedExpression:
    return CallExpression(arithmetic.PLUS, (left, right), INT)


def total(argument: FieldReferenceExpression, **more: Any) -> AggregateCall:
    return AggregateCall(aggregates.SUM, (argument,), INT, **more)


def test_an_expression_of_one_call_moves_into_it(source: QueryOperation) -> None:
    computed = ProjectQueryOperation((column(0), plus(column(0), column(1))), ("k", "x"), source)
    fused = fuse(AggregateQueryOperation((column(0),), (total(column(1)),), ("k", "s"), computed))
    assert isinstance(fused, AggregateQueryOperation)
    assert [str(argument) for argument in fused.aggregates[0].args] == [str(plus(column(0), column(1)))]
    assert isinstance(fused.child, ProjectQueryOperation)
    assert all(isinstance(expression, FieldReferenceExpression) for expression in fused.child.projection)
    assert fused.resolved_schema == AggregateQueryOperation((column(0),), (total(column(1)),), ("k", "s"), computed).resolved_schema


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param((total(column(0)), total(column(0), distinct=True)), id="twice"),
        pytest.param((total(column(0), filter=column(1)),), id="filtered"),
        pytest.param((AggregateCall(aggregates.COUNT, (), BigIntType()),), id="none"),
    ],
)
def test_what_stays_below(source: QueryOperation, calls: tuple[AggregateCall, ...]) -> None:
    computed = ProjectQueryOperation((plus(column(0), column(1)), column(2)), ("x", "s"), source)
    operation = AggregateQueryOperation((), calls, tuple(f"r{i}" for i in range(len(calls))), computed)
    assert fuse(operation) is operation


def test_a_node_with_two_readers_stays_one_after_its_input_has_changed(source: QueryOperation) -> None:
    below = ProjectQueryOperation((column(1),), ("v",), source)
    shared = ProjectQueryOperation((plus(column(0), ValueLiteralExpression(1, INT)),), ("x",), below)
    readers = [
        AggregateQueryOperation((), (total(column(0)),), ("s",), shared),
        ProjectQueryOperation((plus(column(0), column(0)),), ("y",), shared),
        ProjectQueryOperation((plus(column(0), ValueLiteralExpression(2, INT)),), ("y",), shared),
    ]
    union: QueryOperation = readers[0]
    for reader in readers[1:]:
        union = SetQueryOperation((union, reader), SetOperationType.UNION, True, (INT,))
    computing = {
        id(node) for node in preorder(fuse(union), QueryOperation) if isinstance(node, ProjectQueryOperation) and node.names == ("x",)
    }
    assert len(computing) == 1


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (f"SELECT k, SUM(v + 1), COUNT(v + k) FROM {ROWS} GROUP BY k ORDER BY k", [(1, 32, 2), (2, 6, 1)]),
        (f"SELECT k + 1, AVG(v * 2), MAX(UPPER(s)) FROM {ROWS} GROUP BY k + 1 ORDER BY 1", [(2, 30, "B"), (3, 10, "D")]),
        (f"SELECT SUM(v + 1) FILTER (WHERE v > 5), MIN(v - 1), COUNT(DISTINCT v / 10) FROM {ROWS}", [(32, 4, 3)]),
        (f"SELECT LISTAGG(s || '!', '-'), SUM(2 + 3), MAX(k * k) FROM {ROWS} WHERE k = 1", [("a!-b!", 10, 1)]),
    ],
)
def test_results_are_those_of_the_projection(run: Any, query: str, rows: list[tuple[Any, ...]]) -> None:
    assert run.rows(query) == rows
