"""Lateral joins: LATERAL and UNNEST, whose expressions can use columns of the tables left of them in FROM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.expressions.unresolved import Literal, UnresolvedExpression
from table_api.operations import (
    CorrelateQueryOperation,
    FilterQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    UnnestQueryOperation,
)
from table_api.resolution.outer_scope import OuterScope
from table_api.resolution.resolver import ExpressionResolver, as_boolean
from table_api.resolution.scope import Scope
from table_api.sql.ast import JoinRef, LateralRef, ParenthesizedRef, QueryNode, TableFunctionRef, TableRef, UnnestRef
from table_common.catalog import ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, map_references
from table_common.frozen_dataclass import replace
from table_common.types import LogicalType, MapType, RowType, StructuredType

if TYPE_CHECKING:
    from table_api.delegation.session import FunctionLookup
    from table_api.sql.conversion.query_context import FromClause

_Scoped = tuple[QueryOperation, Scope]


def right_of(clause: FromClause, node: TableRef, left_scope: Scope) -> tuple[QueryOperation, Scope, OuterScope]:
    """Returns the right side of a join, its scope, and the outer scope that records the columns it uses of the left row.

    Only LATERAL and UNNEST inside it see the left row. Columns of outer queries are recorded in the same outer scope.
    """
    outer = OuterScope(left_scope, clause.visible)
    inner = replace(clause.converter, outer=outer.hidden())
    inner.from_clause.lateral = outer
    inner.from_clause.state_ttls = clause.state_ttls
    operation, scope = inner.from_clause.reference(node)
    return operation, scope, outer


def lateral_query(clause: FromClause, node: LateralRef) -> _Scoped:
    """Returns ``LATERAL (query)``, which can use columns of the left row."""
    inner = node.inner
    if isinstance(inner, ParenthesizedRef) and isinstance(inner.query, QueryNode):
        converter = replace(clause.converter, ctes=dict(clause.converter.ctes), outer=clause.visible)
        return clause.named(node, converter.convert(inner.query), ())
    unnest = unnest_of(node, clause.converter.session.functions)
    if unnest is not None:
        return unnest_alone(clause, unnest)
    return clause.reference(replace(inner, alias=node.alias, column_aliases=node.column_aliases))


def unnest_of(node: TableRef, functions: FunctionLookup) -> UnnestRef | None:
    """Returns ``[LATERAL] UNNEST(…)``, or a call of a table function as the UNNEST of its result, with the alias; None for other references."""
    inner = node.inner if isinstance(node, LateralRef) else node
    from table_api.sql.conversion.window_table_function import reads_table  # few queries have windows of time

    if isinstance(inner, TableFunctionRef) and not reads_table(inner, functions):
        inner = UnnestRef((inner.call,), alias=inner.alias, column_aliases=inner.column_aliases, span=inner.span)
    if not isinstance(inner, UnnestRef):
        return None
    return replace(inner, alias=node.alias, column_aliases=node.column_aliases, span=node.span) if isinstance(node, LateralRef) else inner


def unnest_alone(clause: FromClause, node: UnnestRef) -> _Scoped:
    """Returns UNNEST without a left side: the elements of one collection."""
    one_row, scope = clause.convert(None)
    operation, _ = _unnest(clause, node, one_row, scope, keeps_empty=False)
    columns = operation.resolved_schema.columns[1:]
    references = tuple(FieldReferenceExpression(c.name, c.data_type, 0, i + 1) for i, c in enumerate(columns))
    elements = ProjectQueryOperation(references, tuple(column.name for column in columns), operation)
    return elements, Scope.of(elements.resolved_schema, (node.alias,) if node.alias is not None else ())


def join_unnest(clause: FromClause, join: JoinRef, left: QueryOperation, left_scope: Scope, join_type: JoinType) -> _Scoped | None:
    """Returns the join with UNNEST as one operation; None for joins with a condition, which need the general form."""
    node = unnest_of(join.right, clause.converter.session.functions)
    if node is None or join_type not in (JoinType.INNER, JoinType.LEFT_OUTER) or join.using or join.natural:
        return None
    if join.condition is not None and not _is_true(join.condition):
        return None
    operation, elements = _unnest(clause, node, left, left_scope, keeps_empty=join_type is JoinType.LEFT_OUTER)
    right_scope = Scope.of(elements, (node.alias,) if node.alias is not None else ())
    return operation, left_scope.beside(right_scope).with_schema(operation.resolved_schema)


def _is_true(condition: UnresolvedExpression) -> bool:
    return isinstance(condition, Literal) and condition.value is True


def _unnest(
    clause: FromClause, node: UnnestRef, child: QueryOperation, scope: Scope, *, keeps_empty: bool
) -> tuple[UnnestQueryOperation, ResolvedSchema]:
    """Returns the UNNEST operation, and the columns of the elements."""
    converter = clause.converter
    position = converter.position(node.span)
    if len(node.expressions) != 1:
        raise ValidationException(f"UNNEST needs one collection, but got {len(node.expressions)}.", position=position)
    resolver: ExpressionResolver = converter.builder.resolver(scope, aggregates_refused_in="UNNEST")
    resolver.outer = clause.visible
    from table_api.sql.conversion.vector_search import convert_vector_search, is_vector_search, refuse_evaluation  # few queries search

    collection = node.expressions[0]
    refuse_evaluation(collection, converter.session.functions, position)
    is_search = is_vector_search(collection, converter.session.functions)
    expression = convert_vector_search(clause, collection, resolver) if is_search else resolver.resolve(collection)
    try:
        types = UnnestQueryOperation.element_types(expression.output_type)
    except ValidationException as error:
        raise error.at(converter.position(node.expressions[0].span)) from None
    names = _element_names(expression.output_type, len(types))
    if len(types) == 1 and not node.with_ordinality and node.alias is not None and names == ["EXPR$0"]:
        names = [node.alias]  # UNNEST(a) AS x also names the only column
    names += ["ORDINALITY"] if node.with_ordinality else []
    if node.column_aliases:
        if len(node.column_aliases) != len(names):
            raise ValidationException(
                f"UNNEST has {len(names)} column{'s' if len(names) > 1 else ''}, but the alias has {len(node.column_aliases)} names: "
                f"{', '.join(node.column_aliases)}.",
                position=position,
            )
        names = list(node.column_aliases)
    operation = UnnestQueryOperation(child, expression, tuple(names), node.with_ordinality, keeps_empty)
    return operation, ResolvedSchema(operation.resolved_schema.columns[-len(names) :])


def _element_names(collection: LogicalType, count: int) -> list[str]:
    element = UnnestQueryOperation.element_type(collection)
    if isinstance(collection, MapType):
        return ["KEY", "VALUE"]
    if isinstance(element, (RowType, StructuredType)):
        return list(element.field_names)
    return [f"EXPR${i}" for i in range(count)]


def correlate(
    clause: FromClause,
    join: JoinRef,
    left: tuple[QueryOperation, Scope],
    right: tuple[QueryOperation, Scope, OuterScope],
    join_type: JoinType,
    condition: UnresolvedExpression | None,
) -> QueryOperation:
    """Returns the lateral join: each left row with the rows that the right side has for it.

    Raises:
        ValidationException: the join type preserves right rows, which a lateral join cannot do.
    """
    if join_type not in (JoinType.INNER, JoinType.LEFT_OUTER):
        raise ValidationException(
            f"The right side of a {join.kind.value} JOIN cannot use columns of the left side.",
            position=clause.converter.position(join.span),
            hint="INNER, CROSS and LEFT JOIN permit this",
        )
    operation, right_scope, outer = right
    resolved = _condition(clause, left[1], right_scope, condition)
    if resolved is not None and join_type is JoinType.LEFT_OUTER:

        def into_right(reference: FieldReferenceExpression) -> ResolvedExpression:
            if reference.input_index == 0:
                return outer.argument(reference)
            return FieldReferenceExpression(reference.name, reference.output_type, 0, reference.field_index)

        operation = FilterQueryOperation(map_references(resolved, into_right), operation)
    correlated: QueryOperation = CorrelateQueryOperation(left[0], operation, join_type, tuple(outer.arguments))
    if resolved is not None and join_type is JoinType.INNER:
        width = len(left[0].resolved_schema.columns)

        def over_both(reference: FieldReferenceExpression) -> ResolvedExpression:
            position = reference.field_index + (width if reference.input_index else 0)
            return FieldReferenceExpression(reference.name, reference.output_type, 0, position)

        correlated = FilterQueryOperation(map_references(resolved, over_both), correlated)
    return correlated


def _condition(clause: FromClause, left: Scope, right: Scope, condition: UnresolvedExpression | None) -> ResolvedExpression | None:
    if condition is None or _is_true(condition):
        return None
    both = left.with_right_input(right)
    resolver = clause.converter.builder.resolver(both, aggregates_refused_in="the condition of a join")
    return as_boolean(resolver.resolve(condition), "ON", clause.converter.position(condition.span))
