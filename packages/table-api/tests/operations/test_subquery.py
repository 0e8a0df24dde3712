"""Outer references of subqueries."""

from __future__ import annotations

from dataclasses import replace

from table_api.expressions.unresolved import SubqueryKind
from table_api.operations import (
    FilterQueryOperation,
    OuterReferenceExpression,
    QueryOperation,
    SubqueryExpression,
    ValuesQueryOperation,
    has_outer_references,
    is_outer,
    map_outer_references,
)
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.expressions import FieldReferenceExpression
from table_common.types import BooleanType, IntType

ROWS = ValuesQueryOperation((), ResolvedSchema((PhysicalColumn("p", BooleanType()),)))
OUTER = OuterReferenceExpression("q", BooleanType(), 0)
CORRELATED: QueryOperation = FilterQueryOperation(OUTER, ROWS)


def test_a_query_over_the_outer_row_has_outer_references() -> None:
    assert has_outer_references(CORRELATED)
    assert has_outer_references(FilterQueryOperation(FieldReferenceExpression("p", BooleanType(), 0, 0), CORRELATED))
    assert not has_outer_references(ROWS)


def test_a_column_of_the_query_is_not_outer() -> None:
    assert is_outer(OUTER)
    assert not is_outer(FieldReferenceExpression("p", BooleanType(), 0, 0))


def test_each_outer_reference_is_replaced() -> None:
    changed = map_outer_references(CORRELATED, lambda node: replace(node, position=node.position + 2))
    assert changed == FilterQueryOperation(OuterReferenceExpression("q", BooleanType(), 2), ROWS)


def test_a_query_without_outer_references_stays_as_it_is() -> None:
    assert map_outer_references(ROWS, lambda node: node) is ROWS


def _doubled_in(count: int) -> SubqueryExpression:
    """Returns IN over a query of which each part has the one before as its input and in its condition."""
    query: QueryOperation = ValuesQueryOperation((), ResolvedSchema.physical([("a", IntType())]))
    for _ in range(count):
        condition = SubqueryExpression(SubqueryKind.IN, query, BooleanType(), (FieldReferenceExpression("a", IntType(), 0, 0),))
        query = FilterQueryOperation(condition, query)
    return SubqueryExpression(SubqueryKind.IN, query, BooleanType(), (FieldReferenceExpression("a", IntType(), 0, 0),))


def test_equal_queries_of_shared_parts_are_compared_once_for_each_part() -> None:
    assert _doubled_in(60) == _doubled_in(60)
    assert _doubled_in(60) != _doubled_in(59)


def test_the_text_of_a_query_of_shared_parts_is_bounded() -> None:
    assert len(str(_doubled_in(60))) < 10_000
