"""Rewrites a node whose expressions have subqueries: each becomes a join, after ``table_api.plan.decorrelation`` has decorrelated it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

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
from table_api.plan.decorrelation import aggregate, join  # they register their nodes
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

if TYPE_CHECKING:
    from table_api.plan.decorrelation.result import Decorrelated
    from table_api.plan.decorrelation.scalar import JoinedSubqueries

NODE_FILES = (aggregate, join)
Inner = Callable[[ResolvedExpression], ResolvedExpression]
"""Rewrites the queries inside of an expression."""
rewrite_node: TypeDispatch[[Inner], QueryOperation] = TypeDispatch("A query in an expression")


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


@rewrite_node.register(FilterQueryOperation)
def _filter(node: FilterQueryOperation, inner: Inner) -> QueryOperation:
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
    from table_api.plan.decorrelation.scalar import JoinedSubqueries  # few queries have subqueries

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
    from table_api.plan.decorrelation.scalar import all_equal, exists_join, is_null_in_query  # few queries have subqueries

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
    from table_api.plan.decorrelation.outer_domain import Domain  # few queries have subqueries

    domain = Domain(rows, arguments)
    for query, operand in is_null_in_query(condition):
        if operand is not None:
            is_null = call(comparison.IS_NULL, domain.reference(len(condition.arguments)))
            query = FilterQueryOperation(is_null, query)
        rows = exists_join(rows, query, arguments, JoinType.ANTI)
    return rows


@rewrite_node.register(ProjectQueryOperation)
def _project(node: ProjectQueryOperation, inner: Inner) -> QueryOperation:
    from table_api.plan.decorrelation.scalar import JoinedSubqueries  # few queries have subqueries

    attached = JoinedSubqueries(node.child)
    projection = tuple(_attach(attached, inner(expression)) for expression in node.projection)
    return ProjectQueryOperation(projection, node.names, attached.plan)


@rewrite_node.register(ValuesQueryOperation)
def _values(node: ValuesQueryOperation, inner: Inner) -> QueryOperation:
    zero = ValueLiteralExpression(0, IntType(nullable=False))
    one_row = ValuesQueryOperation(((zero,),), ResolvedSchema.physical([("$row", zero.output_type)]))
    types, names = node.schema.column_types, node.schema.column_names
    queries = [_project(ProjectQueryOperation(row, names, one_row), inner) for row in node.rows]
    return SetQueryOperation(tuple(queries), SetOperationType.UNION, True, types) if len(queries) > 1 else queries[0]


@rewrite_node.register(UnnestQueryOperation)
def _unnest(node: UnnestQueryOperation, inner: Inner) -> QueryOperation:
    from table_api.plan.decorrelation.scalar import JoinedSubqueries  # few queries have subqueries

    attached = JoinedSubqueries(node.child)
    expression = _attach(attached, inner(node.expression))
    plan = replace(node, child=attached.plan, expression=expression)
    columns = references_of(plan)
    width = len(node.child.resolved_schema.columns)
    kept = (*columns[:width], *columns[len(attached.plan.resolved_schema.columns) :])
    return ProjectQueryOperation(kept, node.resolved_schema.column_names, plan)


@rewrite_node.register(JoinQueryOperation)
def _join(node: JoinQueryOperation, inner: Inner) -> QueryOperation:
    assert node.condition is not None
    parts = [inner(part) for part in conjuncts(node.condition)]
    width = len(node.left.resolved_schema.columns)
    if node.join_type is JoinType.INNER:
        plain = [part for part in parts if not contains_subquery(part)]
        others = [_over_both(part, width) for part in parts if contains_subquery(part)]
        joined = replace(node, condition=conjunction(plain) if plain else None)
        return _filter(FilterQueryOperation(conjunction(others), joined), lambda expression: expression)
    from table_api.plan.decorrelation.scalar import JoinedSubqueries  # few queries have subqueries

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


def correlate(node: CorrelateQueryOperation) -> QueryOperation:
    """Returns the join of each left row with the rows of the right query for it."""
    from table_api.plan.decorrelation.decorrelate import Decorrelation  # few queries have subqueries
    from table_api.plan.decorrelation.outer_domain import Domain, materialized  # few queries have subqueries

    unnesting = Decorrelation(Domain(node.left, node.arguments))
    right = unnesting.unnest(node.right)
    if right.is_total or node.join_type is JoinType.LEFT_OUTER:
        # Columns are computed below the join: above it, a constant would not be NULL for left rows without a match.
        bound = unnesting.domain.bind(right) if right.is_total or _has_outer_outputs(right) else None
        if bound is not None:
            right = unnesting.domain.unnested(bound)
        plan, columns = materialized(right, right.outputs)
        right = replace(right, plan=plan, outputs=tuple(columns))
    from table_api.plan.decorrelation.scalar import join_to  # few queries have subqueries

    joined, over_join = join_to(node.left, right, node.arguments, node.join_type)
    width = len(node.left.resolved_schema.columns)
    expressions = [*references_of(joined)[:width], *map(over_join, right.outputs)]
    schema = node.resolved_schema
    typed = tuple(with_type(e, column.data_type) for e, column in zip(expressions, schema.columns, strict=True))
    return ProjectQueryOperation(typed, schema.column_names, joined)


def _has_outer_outputs(right: Decorrelated) -> bool:
    return bool(replace(right, conditions=()).used)
