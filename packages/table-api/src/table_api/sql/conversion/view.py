"""The stored query of a view or materialized table: SQL with full names and the columns at the time of its creation."""

from __future__ import annotations

from typing import Any, cast

from table_api.delegation import FoundTable, FoundView, Session
from table_api.expressions.unresolved import Span
from table_api.operations import QueryOperation
from table_api.operations.sql_text import query_text
from table_api.sql.ast import QueryNode
from table_api.sql.conversion.dispatch import StatementContext
from table_api.sql.conversion.query_context import QueryConverter
from table_api.sql.parser import parse_statement
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.exceptions import TableException, ValidationException
from table_common.frozen_dataclass import replace


def stored_query(node: QueryNode, operation: QueryOperation, queries: QueryConverter, context: StatementContext) -> str:
    """Returns the SQL that a catalog stores of a query: all names are full ones."""
    expanded = expanded_query(node, operation, context.session, context.text)
    return expanded if expanded is not None else _with_full_names(context.text, node.span, queries.table_names)


def _with_full_names(text: str, span: Span | None, names: list[tuple[Span, ObjectIdentifier]]) -> str:
    """Returns the text of a query with each table name replaced by its full identifier."""
    assert span is not None
    result, end = [], span.end
    for name_span, identifier in sorted(set(names), reverse=True):
        result.append(text[name_span.end : end])
        result.append(identifier.as_serializable_string())
        end = name_span.start
    result.append(text[span.start : end])
    return "".join(reversed(result))


def expanded_query(node: QueryNode, operation: QueryOperation, session: Session, text: str) -> str | None:
    """Returns the SQL of a view's query, in which other views are not expanded; None if SQL cannot express the plan.

    ``operation`` is the query with its views expanded, ``text`` the statement.
    """
    without_views = _without_views(session)
    try:
        unexpanded = QueryConverter(without_views, text).convert(node)
        printed = query_text(unexpanded, session.functions.sql_name)
        # The views were expanded once, for ``operation``; expanding them again would double the time of each view of views.
        again = _converted(printed, without_views).resolved_schema
    except (ValidationException, TableException):
        return None
    return printed if _same_columns(again, operation.resolved_schema) else None


def _converted(text: str, session: Session) -> QueryOperation:
    node = parse_statement(text)
    assert isinstance(node, QueryNode)  # the printer prints queries
    return QueryConverter(session, text).convert(node)


def _same_columns(left: ResolvedSchema, right: ResolvedSchema) -> bool:
    """Returns whether names and types are equal, apart from nullability, which the expanded plan can know better."""
    if left.column_names != right.column_names:
        return False
    pairs = zip(left.column_types, right.column_types, strict=True)
    return all(a.with_nullability(True) == b.with_nullability(True) for a, b in pairs)


class _Delegating:
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _ViewsAsTables(_Delegating):
    """Looks up views as tables with the same columns, so that a plan refers to them by name."""

    def find_table(self, path: tuple[str, ...]) -> FoundTable | FoundView | None:
        found: FoundTable | FoundView | None = self._inner.find_table(path)
        if not isinstance(found, FoundView) or found.schema is None:
            return found
        plain = replace(found.schema, watermark_specs=(), primary_key=None)
        table = CatalogTable(Schema.new_builder().from_resolved_schema(plain).build())
        return FoundTable(found.identifier, ResolvedCatalogTable(table, plain), found.is_temporary)


def _without_views(session: Session) -> Session:
    """Returns a session in which every view is a table."""
    other = _Delegating(session)
    other.tables = _ViewsAsTables(session.tables)  # type: ignore[attr-defined]  # instead of the session's own
    return cast("Session", other)
