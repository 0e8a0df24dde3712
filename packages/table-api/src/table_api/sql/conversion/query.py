"""Queries: the syntax tree to query operations."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.delegation import Session
from table_api.expressions.unresolved import Literal, Span, UnresolvedExpression
from table_api.operations import QueryOperation, SetOperationType
from table_api.resolution.operation_builder import OperationBuilder
from table_api.resolution.outer_scope import OuterScope
from table_api.sql.ast import (
    Cte,
    QueryNode,
    Select,
    SetOperation,
    SetOperator,
    Values,
    WithQuery,
)
from table_api.sql.conversion.from_clause import FromClause
from table_common.catalog import ObjectIdentifier
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.tree import TypeDispatch

__all__ = ["QueryConverter", "rename"]

_SET_KINDS = {
    SetOperator.UNION: SetOperationType.UNION,
    SetOperator.INTERSECT: SetOperationType.INTERSECT,
    SetOperator.EXCEPT: SetOperationType.MINUS,
}
_convert: TypeDispatch[[QueryConverter], QueryOperation] = TypeDispatch("The SQL front end")


@dataclass
class QueryConverter:
    """Converts the queries of one statement.

    ``ctes`` are the WITH names that are visible, with the row around the query that defines them; ``outer`` is the row around the query
    that is converted, if it is nested in an expression or LATERAL.
    """

    session: Session
    text: str
    ctes: dict[str, tuple[QueryOperation, OuterScope | None]] = field(default_factory=dict)
    table_names: list[tuple[Span, ObjectIdentifier]] = field(default_factory=list)
    """Where catalog objects are named in the text, and what they are: a view's query is stored with full names."""
    outer: OuterScope | None = None

    def __post_init__(self) -> None:
        self.builder = OperationBuilder(self.session, self.text, self.outer, self.convert_nested)
        self.from_clause = FromClause(self)

    def convert(self, node: QueryNode) -> QueryOperation:
        """Returns the operation of a query.

        Raises:
            ValidationException: a name or type is wrong; with its position.
        """
        try:
            return _convert(node, self)
        except (ValidationException, TableException) as error:
            raise error.at(self.position(node.span)) from error.__cause__

    def position(self, span: Span | None) -> SourcePosition | None:
        """Returns the place of a span in the statement."""
        return SourcePosition.of_offset(self.text, span.start, span.end) if span is not None else None

    def nested(self) -> QueryConverter:
        """Returns a converter for an inner query, whose WITH names end with it."""
        return replace(self, ctes=dict(self.ctes))

    def convert_nested(self, node: object, outer: OuterScope) -> QueryOperation:
        """Returns the operation of a query in an expression; it may use ``outer``, which notes what it uses."""
        assert isinstance(node, QueryNode)
        return replace(self, ctes=dict(self.ctes), outer=outer).convert(node)

    def cte(self, name: str) -> QueryOperation | None:
        """Returns the query that WITH gives a name, as it stands in this query."""
        if name not in self.ctes:
            return None
        operation, defined_in = self.ctes[name]
        return operation if self.outer is None else self.outer.lift(operation, defined_in)

    def finish(self, operation: QueryOperation, node: QueryNode) -> QueryOperation:
        """Applies ORDER BY, OFFSET and FETCH of a query whose body is no SELECT."""
        if node.order_by:
            operation = self.builder.sort(operation, node.order_by)
        return self.limit(operation, node)

    def limit(self, operation: QueryOperation, node: QueryNode) -> QueryOperation:
        """Applies OFFSET and FETCH."""
        if node.offset is None and node.fetch is None:
            return operation
        offset = self._row_count(node.offset, "OFFSET") if node.offset is not None else 0
        fetch = self._row_count(node.fetch, "LIMIT") if node.fetch is not None else None
        return self.builder.limit(operation, offset, fetch)

    def _row_count(self, expression: UnresolvedExpression, clause: str) -> int:
        if not isinstance(expression, Literal) or type(expression.value) is not int or expression.value < 0:
            raise ValidationException(f"{clause} takes a number of rows, 0 or more.", position=self.position(expression.span))
        return expression.value


@_convert.register(Select)
def _select(node: Select, converter: QueryConverter) -> QueryOperation:
    child, scope = converter.from_clause.convert(node.source, node.hints)
    builder = converter.builder
    if node.where is not None:
        child = builder.filter(child, node.where, scope)
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
    return converter.limit(operation, node)


@_convert.register(Values)
def _values(node: Values, converter: QueryConverter) -> QueryOperation:
    return converter.finish(converter.builder.values(node.rows), node)


@_convert.register(SetOperation)
def _set_operation(node: SetOperation, converter: QueryConverter) -> QueryOperation:
    """Converts a chain as written, left to right, without a call for each of its links; links of one operation are one node."""
    chain: list[SetOperation] = [node]
    while isinstance(left := chain[-1].left, SetOperation) and not _has_own_end(left):
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
    """Returns whether ORDER BY, OFFSET or FETCH follow the query."""
    return bool(node.order_by) or node.offset is not None or node.fetch is not None


@_convert.register(WithQuery)
def _with(node: WithQuery, converter: QueryConverter) -> QueryOperation:
    if node.recursive:
        raise TableException("WITH RECURSIVE cannot be planned.", position=converter.position(node.span))
    inner = converter.nested()
    names: set[str] = set()
    for cte in node.ctes:
        if cte.name in names:
            raise ValidationException(f"WITH names '{cte.name}' twice.", position=converter.position(cte.span))
        names.add(cte.name)
        inner.ctes[cte.name] = (_cte(inner, cte), inner.outer)
    return inner.finish(inner.convert(node.body), node)


def _cte(converter: QueryConverter, cte: Cte) -> QueryOperation:
    operation = converter.convert(cte.query)
    return rename(converter, operation, cte.columns, cte.name, cte.span) if cte.columns else operation


def rename(converter: QueryConverter, operation: QueryOperation, names: Sequence[str], what: str, span: Span | None) -> QueryOperation:
    """Returns the operation with all its columns renamed.

    Raises:
        ValidationException: there are more or fewer names than columns.
    """
    width = len(operation.resolved_schema.columns)
    if len(names) != width:
        raise ValidationException(
            f"'{what}' has {width} columns, but {len(names)} names are given: {', '.join(names)}.", position=converter.position(span)
        )
    return converter.builder.alias(operation, names)
