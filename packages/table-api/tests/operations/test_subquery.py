"""Outer references of subqueries."""

from __future__ import annotations

from dataclasses import replace

from table_api.operations import (
    FilterQueryOperation,
    OuterReferenceExpression,
    QueryOperation,
    ValuesQueryOperation,
    has_outer_references,
    is_outer,
    map_outer_references,
)
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.expressions import FieldReferenceExpression
from table_common.types import BooleanType

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
