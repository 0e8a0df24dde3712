"""The converters of queries and of FROM clauses, and the registries of handlers for syntax nodes, which are in other files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from table_api.delegation import Session
from table_api.expressions.unresolved import Literal, Span, UnresolvedExpression
from table_api.operations import QueryOperation, ValuesQueryOperation
from table_api.resolution.operation_builder import OperationBuilder
from table_api.resolution.outer_scope import OuterScope
from table_api.resolution.scope import Scope
from table_api.resolution.written_names import WrittenNames
from table_api.sql.ast import Hint, LateralRef, ParenthesizedRef, QueryNode, TableRef, Values
from table_common.catalog import ObjectIdentifier, ResolvedSchema
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.expressions import ValueLiteralExpression
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.tree import TypeDispatch
from table_common.types import IntType

if TYPE_CHECKING:
    from table_api.sql.conversion.lookup_hints import LookupHints
    from table_api.sql.conversion.state_ttl_hints import StateTtlHints

Scoped = tuple[QueryOperation, Scope]
convert_query: TypeDispatch[[QueryConverter], QueryOperation] = TypeDispatch("The SQL front end")
convert_reference: TypeDispatch[[FromClause], Scoped] = TypeDispatch("The SQL front end")


@dataclass
class QueryConverter:
    """Converts the queries of one statement.

    ``ctes`` are the visible queries of WITH, each with the outer scope of the query that defines it; ``outer`` is the outer scope of the query
    that is converted, if it is nested in an expression or in LATERAL.
    """

    session: Session
    text: str
    ctes: dict[str, tuple[QueryOperation, OuterScope | None]] = field(default_factory=dict)
    table_names: list[tuple[Span, ObjectIdentifier]] = field(default_factory=list)
    """The spans of table names in the text, with their identifiers: the query of a view is stored with full names."""
    outer: OuterScope | None = None
    written: WrittenNames = field(default_factory=WrittenNames)

    def __post_init__(self) -> None:
        self.builder = OperationBuilder(self.session, self.text, self.outer, self.convert_nested, self.written)
        self.from_clause = FromClause(self)

    def convert(self, node: QueryNode) -> QueryOperation:
        """Returns the operation of a query.

        Raises:
            ValidationException: a name or type is wrong; with its position.
        """
        try:
            return convert_query(node, self)
        except (ValidationException, TableException) as error:
            raise error.at(self.position(node.span)) from error.__cause__

    def position(self, span: Span | None) -> SourcePosition | None:
        """Returns line and column of a span in the statement."""
        return SourcePosition.of_offset(self.text, span.start, span.end) if span is not None else None

    def nested(self) -> QueryConverter:
        """Returns a converter for an inner query, whose WITH names are visible only there."""
        return replace(self, ctes=dict(self.ctes))

    def convert_nested(self, node: object, outer: OuterScope) -> QueryOperation:
        """Returns the operation of a query in an expression; ``outer`` records the outer columns that it uses."""
        assert isinstance(node, QueryNode)
        return replace(self, ctes=dict(self.ctes), outer=outer).convert(node)

    def cte(self, name: str) -> QueryOperation | None:
        """Returns the query that WITH names, adapted to the outer scope of this query; None if there is none of that name."""
        if name not in self.ctes:
            return None
        operation, defined_in = self.ctes[name]
        return operation if self.outer is None else self.written.carry(operation, self.outer.lift(operation, defined_in))

    def finish(self, operation: QueryOperation, node: QueryNode) -> QueryOperation:
        """Applies ORDER BY, OFFSET and FETCH of a query whose body is not a SELECT."""
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
            raise ValidationException(f"{clause} needs a number of rows, 0 or more.", position=self.position(expression.span))
        return expression.value


class FromClause:
    """Converts table references for one query."""

    def __init__(self, converter: QueryConverter) -> None:
        self.converter = converter
        self.lateral: OuterScope | None = None
        """The outer scope of the left row, while the right side of a lateral join is converted."""
        self.lookup_hints: LookupHints | None = None
        """The LOOKUP hints of the SELECT whose FROM is converted."""
        self.strategies: Sequence[Hint] = ()
        """The hints of the SELECT whose FROM is converted that say how to join tables."""
        self.state_ttls: StateTtlHints | None = None
        """The STATE_TTL hints of the SELECT whose FROM is converted."""

    @property
    def visible(self) -> OuterScope | None:
        """The outer scope of LATERAL and UNNEST."""
        return self.lateral if self.lateral is not None else self.converter.outer

    def convert(self, source: TableRef | None, hints: Sequence[Hint] = (), state_ttls: StateTtlHints | None = None) -> Scoped:
        """Returns the operation and scope of FROM; without FROM, one row with a column that has no visible name."""
        if source is None:
            zero = ValueLiteralExpression(0, IntType(nullable=False))
            return ValuesQueryOperation(((zero,),), ResolvedSchema.physical([("$row", zero.output_type)])), Scope()
        if not hints:
            return self.reference(source)
        from table_api.sql.conversion.query_hints import strategy_hints

        before, self.state_ttls = (self.state_ttls, self.strategies), state_ttls
        self.strategies = strategy_hints(hints)
        try:
            return self._with_hints(source, hints)
        finally:
            self.state_ttls, self.strategies = before

    def _with_hints(self, source: TableRef, hints: Sequence[Hint]) -> Scoped:
        from table_api.sql.conversion.query_hints import check_query_hints

        if not any(hint.name.upper() == "LOOKUP" for hint in hints):
            operation, scope = self.reference(source)
            check_query_hints(hints, scope, self.converter.position)
            return operation, scope
        from table_api.sql.conversion.lookup_hints import LookupHints

        before, self.lookup_hints = self.lookup_hints, LookupHints(hints, self.converter.position)
        try:
            operation, scope = self.reference(source)
            self.lookup_hints.require_taken(scope)
        finally:
            self.lookup_hints = before
        check_query_hints(hints, scope, self.converter.position)
        return operation, scope

    def reference(self, node: TableRef) -> Scoped:
        """Returns the operation and scope of one table reference.

        Raises:
            ValidationException: a name or type in it is wrong; with the position of the reference.
            TableException: it is not supported; with the position of the reference.
        """
        try:
            return convert_reference(node, self)
        except (ValidationException, TableException) as error:
            raise error.at(self.converter.position(node.span)) from error.__cause__

    def named(self, node: TableRef, operation: QueryOperation, path: tuple[str, ...]) -> Scoped:
        """Returns the operation with the scope of its alias, or of ``path`` without one; applies column aliases."""
        names = node.column_aliases or _only_column_of_values(node, operation)
        if names:
            operation = rename(self.converter, operation, names, node.alias or ".".join(path), node.span)
        name = (node.alias,) if node.alias is not None else path
        return operation, Scope.of(operation.resolved_schema, name, names=self.converter.written.of(operation))


def _only_column_of_values(node: TableRef, operation: QueryOperation) -> tuple[str, ...]:
    """Returns the alias as the column name for VALUES with one column, as in ``(VALUES 1, 2) AS x``; else an empty tuple."""
    inner = node.inner if isinstance(node, LateralRef) else node
    query = inner.query if isinstance(inner, ParenthesizedRef) else None
    is_plain = isinstance(query, Values) and not query.order_by and query.offset is None and query.fetch is None
    return (node.alias,) if is_plain and node.alias is not None and len(operation.resolved_schema.columns) == 1 else ()


def rename(converter: QueryConverter, operation: QueryOperation, names: Sequence[str], what: str, span: Span | None) -> QueryOperation:
    """Returns the operation with all its columns renamed.

    Raises:
        ValidationException: there are more or fewer names than columns.
    """
    width = len(operation.resolved_schema.columns)
    if len(names) != width:
        raise ValidationException(
            f"'{what}' has {width} columns, but the alias has {len(names)} names: {', '.join(names)}.", position=converter.position(span)
        )
    return converter.builder.alias(operation, names)
