"""The converter of queries: positions of errors, names of tables, and scopes of WITH."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.expressions.unresolved import Span
from table_api.sql.ast import QueryNode
from table_api.sql.conversion.query_context import QueryConverter, rename
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException


def converter(session: Any, text: str) -> tuple[QueryConverter, QueryNode]:
    node = parse_statement(text)
    assert isinstance(node, QueryNode)
    return QueryConverter(session, text), node


def test_table_names_are_recorded_with_their_spans(session: Any) -> None:
    queries, node = converter(session, "SELECT * FROM t JOIN u ON TRUE")
    queries.convert(node)
    assert [(span, identifier.object_name) for span, identifier in queries.table_names] == [(Span(14, 15), "t"), (Span(21, 22), "u")]


def test_names_of_with_end_with_an_inner_query(session: Any) -> None:
    queries, node = converter(session, "SELECT * FROM (WITH q AS (SELECT 1) SELECT * FROM q) AS s")
    queries.convert(node)
    assert queries.cte("q") is None


def test_an_error_has_the_position_of_its_query(session: Any) -> None:
    queries, node = converter(session, "SELECT 1\nUNION SELECT nme FROM t")
    with pytest.raises(ValidationException) as raised:
        queries.convert(node)
    assert raised.value.position is not None
    assert (raised.value.position.line, raised.value.position.column) == (2, 14)


def test_values_of_one_column_are_named_by_their_alias(session: Any) -> None:
    queries, node = converter(session, "SELECT * FROM (VALUES 1, 2) AS x")
    assert queries.convert(node).resolved_schema.column_names == ("x",)


def test_as_many_names_as_columns_are_needed(session: Any) -> None:
    queries, node = converter(session, "SELECT age FROM t")
    with pytest.raises(ValidationException, match="'q' has 1 columns, but the alias has 2 names: a, b"):
        rename(queries, queries.convert(node), ("a", "b"), "q", None)


def test_without_from_there_is_one_row_without_visible_columns(session: Any) -> None:
    queries, _ = converter(session, "SELECT 1")
    operation, scope = queries.from_clause.convert(None)
    assert len(operation.rows) == 1  # type: ignore[attr-defined]
    assert scope.column_names() == []
