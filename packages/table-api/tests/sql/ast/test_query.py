"""The nodes of queries: equality without spans, and the expressions in them."""

from __future__ import annotations

from table_api.expressions.unresolved import Reference, Span, UnresolvedExpression
from table_api.sql.ast import JoinKind, JoinRef, Select, SetOperationQuery, SetOperator, TableNameRef, Values
from table_api.sql.parser import parse_statement
from table_common.tree import preorder

A = Reference(("a",))
T, U = TableNameRef(("t",)), TableNameRef(("u",))


def test_spans_take_no_part_in_equality() -> None:
    assert TableNameRef(("t",), span=Span(0, 1), path_span=Span(0, 1)) == T
    assert parse_statement("SELECT a FROM t") == parse_statement("SELECT\n a\nFROM t")


def test_a_comma_is_a_cross_join_that_differs_from_the_keyword() -> None:
    query = parse_statement("SELECT a FROM t, u")
    assert isinstance(query, Select)
    assert query.source == JoinRef(T, U, JoinKind.CROSS, is_comma=True)
    assert query != parse_statement("SELECT a FROM t CROSS JOIN u")


def test_the_body_of_a_set_operation_has_no_order_of_its_own() -> None:
    query = parse_statement("SELECT a FROM t UNION ALL SELECT a FROM u ORDER BY a")
    assert isinstance(query, SetOperationQuery)
    assert (query.operator, query.all) == (SetOperator.UNION, True)
    assert len(query.order_by) == 1
    assert query.left == Select((A,), T)
    assert query.right == Select((A,), U)


def test_rows_of_values_are_tuples_of_expressions() -> None:
    query = parse_statement("VALUES (a, a), (a, a)")
    assert query == Values(((A, A), (A, A)))


def test_expressions_of_a_row_are_nodes_of_the_tree() -> None:
    query = parse_statement("VALUES (a), (a + a)")
    assert isinstance(query, Values)
    rows = [expression for row in query.rows for expression in row]
    references = [node for row in rows for node in preorder(row, UnresolvedExpression) if isinstance(node, Reference)]
    assert references == [A, A, A]
