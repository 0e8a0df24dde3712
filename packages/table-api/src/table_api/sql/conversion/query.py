"""Converts queries: SELECT, VALUES, set operations and WITH."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.expressions.unresolved import Alias
from table_api.operations import QueryOperation, SetOperationType
from table_api.sql.ast import (
    Cte,
    QueryNode,
    Select,
    SetOperationQuery,
    SetOperator,
    Values,
    WithQuery,
)
from table_api.sql.conversion import from_clause  # noqa: F401  # it registers the table references
from table_api.sql.conversion.query_context import QueryConverter, convert_query, rename
from table_common.exceptions import TableException, ValidationException

if TYPE_CHECKING:
    from table_api.sql.conversion.state_ttl_hints import StateTtlHints

_SET_KINDS = {
    SetOperator.UNION: SetOperationType.UNION,
    SetOperator.INTERSECT: SetOperationType.INTERSECT,
    SetOperator.EXCEPT: SetOperationType.MINUS,
}


@convert_query.register(Select)
def _select(node: Select, converter: QueryConverter) -> QueryOperation:
    state_ttls = _state_ttl_hints(node, converter)
    child, scope = converter.from_clause.convert(node.source, node.hints, state_ttls)
    builder = converter.builder
    if node.where is not None:
        try:
            child = builder.filter(child, node.where, scope)
        except ValidationException as error:
            error.hint = error.hint or _hint_of_alias(error, node)
            raise
    operation = builder.select(
        child,
        node.projection,
        scope=scope,
        group_by=node.group_by,
        having=node.having,
        distinct=node.distinct,
        order_by=node.order_by,
        windows=node.windows,
        qualify=node.qualify,
    )
    if state_ttls is not None:
        operation = builder.written.carry(operation, state_ttls.on_aggregate(operation, child, scope))
    return converter.limit(operation, node)


def _hint_of_alias(error: ValidationException, node: Select) -> str | None:
    names = [item.name for item in node.projection if isinstance(item, Alias)]
    name = next((name for name in names if error.message.startswith(f"Column '{name}' does not exist")), None)
    return (
        None
        if name is None
        else f"'{name}' is a name of SELECT, which WHERE does not know: repeat its expression, or filter in an outer query"
    )


def _state_ttl_hints(node: Select, converter: QueryConverter) -> StateTtlHints | None:
    if all(hint.name.upper() != "STATE_TTL" for hint in node.hints):
        return None
    from table_api.sql.conversion.state_ttl_hints import StateTtlHints  # few queries need it

    return StateTtlHints(node.hints, converter.position, has_effect=converter.session.is_streaming_mode)


@convert_query.register(Values)
def _values(node: Values, converter: QueryConverter) -> QueryOperation:
    return converter.finish(converter.builder.values(node.rows), node)


@convert_query.register(SetOperationQuery)
def _set_operation(node: SetOperationQuery, converter: QueryConverter) -> QueryOperation:
    """Converts a chain of set operations iteratively, from left to right; a run of the same operation is one node."""
    chain: list[SetOperationQuery] = [node]
    while isinstance(left := chain[-1].left, SetOperationQuery) and not _has_own_end(left):
        chain.append(left)
    chain.reverse()
    operation = converter.convert(chain[0].left)
    start = 0
    while start < len(chain):
        end = start + 1
        while end < len(chain) and (chain[end].operator, chain[end].all) == (chain[start].operator, chain[start].all):
            end += 1
        links = chain[start:end]
        inputs = [operation, *(converter.convert(link.right) for link in links)]
        kind = _SET_KINDS[links[0].operator]
        operation = converter.builder.set_operations(kind, links[0].all, inputs, [link.span for link in links])
        start = end
    return converter.finish(operation, node)


def _has_own_end(node: QueryNode) -> bool:
    """Returns whether the query has ORDER BY, OFFSET or FETCH."""
    return bool(node.order_by) or node.offset is not None or node.fetch is not None


@convert_query.register(WithQuery)
def _with(node: WithQuery, converter: QueryConverter) -> QueryOperation:
    if node.recursive:
        raise TableException("WITH RECURSIVE is not supported.", position=converter.position(node.span))
    inner = converter.nested()
    names: set[str] = set()
    for cte in node.ctes:
        if cte.name in names:
            # Differs from Flink: a name twice in WITH is refused; Flink takes one of the two queries.
            raise ValidationException(f"WITH names '{cte.name}' twice.", position=converter.position(cte.span))
        names.add(cte.name)
        inner.ctes[cte.name] = (_cte(inner, cte), inner.outer)
    return inner.finish(inner.convert(node.body), node)


def _cte(converter: QueryConverter, cte: Cte) -> QueryOperation:
    operation = converter.convert(cte.query)
    return rename(converter, operation, cte.columns, cte.name, cte.span) if cte.columns else operation
