"""Rewrites subqueries in expressions and LATERAL to joins and aggregates; later rules and engines see neither.

EXISTS and IN as conjuncts of WHERE become semi-joins, NOT EXISTS and NOT IN anti-joins. Elsewhere the value of the subquery is joined to
the rows that use it. ``table_api.plan.decorrelation`` decorrelates the subquery first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.expressions.unresolved import SubqueryKind
from table_api.operations import (
    CorrelateQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    SubqueryExpression,
    UnnestQueryOperation,
    ValuesQueryOperation,
    contains_subquery,
)
from table_api.plan.calls import call, columns_of, references_of, with_type
from table_api.plan.context import RuleContext
from table_api.plan.decorrelation import aggregate, join  # they register their nodes
from table_api.plan.decorrelation.decorrelate import Decorrelation
from table_api.plan.decorrelation.outer_domain import Domain, materialized
from table_api.plan.decorrelation.result import Decorrelated
from table_api.plan.decorrelation.scalar import JoinedSubqueries, all_equal, exists_join, is_null_in_query, join_to
from table_api.plan.rules.extract_common_conjuncts import extract_common_conjuncts
from table_api.plan.rules.lower_scalar_queries import lower_scalar_queries
from table_common.catalog import ResolvedSchema
from table_common.exceptions import TableException
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    conjunction,
    conjuncts,
    map_references,
    references,
)
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import comparison, logic
from table_common.tree import TypeDispatch, transform_up
from table_common.types import IntType

NODE_FILES = (aggregate, join)
_rewrite: TypeDispatch[[_Inner], QueryOperation] = TypeDispatch("A query in an expression")


def subquery_to_join(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Returns the plan without subqueries in expressions; the plan itself if it has none.

    Raises:
        TableException: a subquery is used where its value cannot be joined to the rows that use it.
    """
    queries: dict[int, QueryOperation] = {}
    kept: list[QueryOperation] = []  # keeps the nodes alive, so that their ids stay unique

    def rewrite(query: QueryOperation) -> QueryOperation:
        if id(query) not in queries:
            kept.append(query)
            prepared = lower_scalar_queries(extract_common_conjuncts(query, context))
            queries[id(query)] = transform_up(prepared, QueryOperation, change)
        return queries[id(query)]

    def inner(node: SubqueryExpression) -> ResolvedExpression:
        query = rewrite(node.query)
        return node if query is node.query else replace(node, query=query)

    def change(node: QueryOperation) -> QueryOperation:
        if isinstance(node, CorrelateQueryOperation):
            return _correlate(node)
        expressions = [cell for row in node.rows for cell in row] if isinstance(node, ValuesQueryOperation) else node.expressions
        if not any(map(contains_subquery, expressions)):
            return node
        return _rewrite(node, lambda expression: transform_up(expression, ResolvedExpression, inner, of=SubqueryExpression))

    return rewrite(root)


_Inner = Callable[[ResolvedExpression], ResolvedExpression]
"""Rewrites the queries inside of an expression."""


def _attach(attached: JoinedSubqueries, expression: ResolvedExpression) -> ResolvedExpression:
    """Returns an expression with its subqueries replaced by references to their joined values."""
    return transform_up(expression, ResolvedExpression, attached.value, of=SubqueryExpression)


def _attach_condition(attached: JoinedSubqueries, condition: ResolvedExpression) -> ResolvedExpression:
    """Returns a condition of WHERE with its subqueries replaced: below AND and OR unknown counts as FALSE, which makes IN cheaper."""
    if isinstance(condition, CallExpression) and condition.function in (logic.AND, logic.OR):
        return replace(condition, args=tuple(_attach_condition(attached, part) for part in condition.args))
    if (
        isinstance(condition, SubqueryExpression)
        and condition.kind is SubqueryKind.IN
        and not any(map(contains_subquery, condition.operands))
    ):
        return attached.is_true(condition)
    return _attach(attached, condition)


@_rewrite.register(FilterQueryOperation)
def _filter(node: FilterQueryOperation, inner: _Inner) -> QueryOperation:
    parts = conjuncts(inner(node.condition))
    plain = [part for part in parts if not contains_subquery(part)]
    rows: QueryOperation = FilterQueryOperation(conjunction(plain), node.child) if plain else node.child
    others: list[ResolvedExpression] = []
    for part in parts:
        if not contains_subquery(part):
            continue
        joined = _as_join(rows, part)
        if joined is None:
            others.append(part)
        else:
            rows = joined
    if not others:
        return rows
    attached = JoinedSubqueries(rows)
    condition = conjunction([_attach_condition(attached, part) for part in others])
    return columns_of(FilterQueryOperation(condition, attached.plan), len(node.resolved_schema.columns))


def _as_join(rows: QueryOperation, condition: ResolvedExpression) -> QueryOperation | None:
    """Returns the semi- or anti-join for a condition that is EXISTS or IN, or its negation; None for any other condition."""
    negated = False
    while isinstance(condition, CallExpression) and condition.function is logic.NOT:
        negated, condition = not negated, condition.args[0]
    if not isinstance(condition, SubqueryExpression) or any(map(contains_subquery, condition.operands)):
        return None
    if condition.kind is SubqueryKind.EXISTS:
        return exists_join(rows, condition.query, condition.arguments, JoinType.ANTI if negated else JoinType.SEMI)
    if condition.kind not in (SubqueryKind.IN, SubqueryKind.NOT_IN):
        return None
    negated ^= condition.kind is SubqueryKind.NOT_IN
    arguments = (*condition.arguments, *condition.operands)
    equal = FilterQueryOperation(all_equal(condition), condition.query)
    if not negated:
        return exists_join(rows, equal, arguments, JoinType.SEMI)
    rows = exists_join(rows, equal, arguments, JoinType.ANTI)
    domain = Domain(rows, arguments)
    for query, operand in is_null_in_query(condition):
        if operand is not None:
            is_null = call(comparison.IS_NULL, domain.reference(len(condition.arguments)))
            query = FilterQueryOperation(is_null, query)
        rows = exists_join(rows, query, arguments, JoinType.ANTI)
    return rows


@_rewrite.register(ProjectQueryOperation)
def _project(node: ProjectQueryOperation, inner: _Inner) -> QueryOperation:
    attached = JoinedSubqueries(node.child)
    projection = tuple(_attach(attached, inner(expression)) for expression in node.projection)
    return ProjectQueryOperation(projection, node.names, attached.plan)


@_rewrite.register(ValuesQueryOperation)
def _values(node: ValuesQueryOperation, inner: _Inner) -> QueryOperation:
    zero = ValueLiteralExpression(0, IntType(nullable=False))
    one_row = ValuesQueryOperation(((zero,),), ResolvedSchema.physical([("$row", zero.output_type)]))
    types, names = node.schema.column_types, node.schema.column_names
    queries = [_project(ProjectQueryOperation(row, names, one_row), inner) for row in node.rows]
    return SetQueryOperation(tuple(queries), SetOperationType.UNION, True, types) if len(queries) > 1 else queries[0]


@_rewrite.register(UnnestQueryOperation)
def _unnest(node: UnnestQueryOperation, inner: _Inner) -> QueryOperation:
    attached = JoinedSubqueries(node.child)
    expression = _attach(attached, inner(node.expression))
    plan = replace(node, child=attached.plan, expression=expression)
    columns = references_of(plan)
    width = len(node.child.resolved_schema.columns)
    kept = (*columns[:width], *columns[len(attached.plan.resolved_schema.columns) :])
    return ProjectQueryOperation(kept, node.resolved_schema.column_names, plan)


@_rewrite.register(JoinQueryOperation)
def _join(node: JoinQueryOperation, inner: _Inner) -> QueryOperation:
    assert node.condition is not None
    parts = [inner(part) for part in conjuncts(node.condition)]
    width = len(node.left.resolved_schema.columns)
    if node.join_type is JoinType.INNER:
        plain = [part for part in parts if not contains_subquery(part)]
        others = [_over_both(part, width) for part in parts if contains_subquery(part)]
        joined = replace(node, condition=conjunction(plain) if plain else None)
        return _filter(FilterQueryOperation(conjunction(others), joined), lambda expression: expression)
    sides = (JoinedSubqueries(node.left), JoinedSubqueries(node.right))
    condition = conjunction([_attach_to_side(sides, part) for part in parts])
    plan = JoinQueryOperation(sides[0].plan, sides[1].plan, node.join_type, condition, state_ttl=node.state_ttl, strategies=node.strategies)
    columns = references_of(plan)
    if node.join_type in (JoinType.SEMI, JoinType.ANTI):
        return columns_of(plan, width)
    right = len(sides[0].plan.resolved_schema.columns)
    kept = (*columns[:width], *columns[right : right + len(node.right.resolved_schema.columns)])
    return ProjectQueryOperation(kept, node.resolved_schema.column_names, plan)


def _over_both(part: ResolvedExpression, width: int) -> ResolvedExpression:
    def change(reference: FieldReferenceExpression) -> ResolvedExpression:
        position = reference.field_index + (width if reference.input_index else 0)
        return FieldReferenceExpression(reference.name, reference.output_type, 0, position)

    return map_references(part, change)


def _attach_to_side(sides: Sequence[JoinedSubqueries], part: ResolvedExpression) -> ResolvedExpression:
    """Returns a condition of an outer join with its subqueries replaced, each joined to the side whose columns it uses."""

    def change(node: SubqueryExpression) -> ResolvedExpression:
        inputs = {index for index, _ in references([node])}
        if len(inputs) > 1:
            raise TableException(
                "A query in the condition of an outer join cannot use columns of both sides.",
                hint="join the query with one side first, or use it in WHERE",
            )
        side = max(inputs, default=0)
        query = _moved(node, 0)
        assert isinstance(query, SubqueryExpression)
        return _moved(sides[side].value(query), side)

    return transform_up(part, ResolvedExpression, change, of=SubqueryExpression)


def _moved(expression: ResolvedExpression, input_index: int) -> ResolvedExpression:
    return map_references(expression, lambda r: FieldReferenceExpression(r.name, r.output_type, input_index, r.field_index))


def _correlate(node: CorrelateQueryOperation) -> QueryOperation:
    """Returns the join of each left row with the rows of the right query for it."""
    unnesting = Decorrelation(Domain(node.left, node.arguments))
    right = unnesting.unnest(node.right)
    if right.is_total or node.join_type is JoinType.LEFT_OUTER:
        # Columns are computed below the join: above it, a constant would not be NULL for left rows without a match.
        bound = unnesting.domain.bind(right) if right.is_total or _has_outer_outputs(right) else None
        if bound is not None:
            right = unnesting.domain.unnested(bound)
        plan, columns = materialized(right, right.outputs)
        right = replace(right, plan=plan, outputs=tuple(columns))
    joined, over_join = join_to(node.left, right, node.arguments, node.join_type)
    width = len(node.left.resolved_schema.columns)
    expressions = [*references_of(joined)[:width], *map(over_join, right.outputs)]
    schema = node.resolved_schema
    typed = tuple(with_type(e, column.data_type) for e, column in zip(expressions, schema.columns, strict=True))
    return ProjectQueryOperation(typed, schema.column_names, joined)


def _has_outer_outputs(right: Decorrelated) -> bool:
    return bool(replace(right, conditions=()).used)
