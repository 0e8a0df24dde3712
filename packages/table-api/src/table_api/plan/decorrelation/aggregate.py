"""Decorrelation of aggregates: the outer values become grouping columns."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    SortOrder,
    is_outer,
)
from table_api.plan.calls import boolean, call, number, references_of, same_value, with_type
from table_api.plan.decorrelation.decorrelate import Decorrelation, decorrelate_node, inner_sides, with_inner_sides
from table_api.plan.decorrelation.outer_domain import DomainJoin, materialized
from table_api.plan.decorrelation.result import Decorrelated, split_equality
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction, references
from table_common.frozen_dataclass import replace
from table_common.functions import OverNothing
from table_common.functions.builtin import aggregates, arithmetic, conditional, logic
from table_common.types import BigIntType


@decorrelate_node.register(AggregateQueryOperation)
def decorrelate_aggregate(node: AggregateQueryOperation, unnesting: Decorrelation, children: Sequence[Decorrelated]) -> Decorrelated:
    (child,) = children
    child = unnesting.rows(child)
    inputs = _inputs(node)
    may_fail = any(aggregate.function is aggregates.SINGLE_VALUE for aggregate in node.aggregates)
    if may_fail and child.conditions:
        # A group of values that no outer row has could fail, so only values of outer rows are aggregated.
        child = unnesting.bound(child, only_outer_values=True)
    elif any(is_outer(child.outputs[i]) for i in inputs) or any(split_equality(c) is None and references([c]) for c in child.conditions):
        child = unnesting.bound(child)
    keys = inner_sides(child.conditions)
    plan, columns = materialized(child, [*(child.outputs[i] for i in inputs), *keys])
    moved = dict(zip(inputs, columns, strict=False))
    key_columns = columns[len(inputs) :]
    grouping = (*(moved[reference.field_index] for reference in node.grouping), *key_columns)
    calls = tuple(_moved(aggregate, moved) for aggregate in node.aggregates)
    own = len(node.grouping)
    names = (*node.names[:own], *(f"$key{i}" for i in range(len(keys))), *node.names[own:])
    sets = None
    if node.grouping_sets is not None:
        sets = tuple((*one, *range(own, own + len(keys))) for one in node.grouping_sets)
    grouped = AggregateQueryOperation(grouping, calls, names, plan, sets, state_ttl=node.state_ttl)
    result = references_of(grouped)
    outputs: list[ResolvedExpression] = [*result[:own], *result[own + len(keys) : own + len(keys) + len(calls)]]
    if sets is not None:  # each additional key adds a bit to the grouping id, which is 0
        outputs.append(with_type(call(arithmetic.DIVIDE, result[-1], number(1 << len(keys))), BigIntType(nullable=False)))
    conditions = with_inner_sides(child.conditions, result[own : own + len(keys)])
    if node.grouping or node.grouping_sets is not None or not conditions:
        return Decorrelated(grouped, tuple(outputs), conditions)
    if any(aggregate.function.aggregate_traits.over_nothing is OverNothing.OWN for aggregate in node.aggregates):
        return _over_nothing_too(unnesting, child, node)
    for i, aggregate in enumerate(node.aggregates):
        if aggregate.function.aggregate_traits.over_nothing is OverNothing.ZERO:
            counted = outputs[i]
            outputs[i] = call(conditional.COALESCE, _nullable(counted), number(0))
    return Decorrelated(grouped, tuple(outputs), conditions, is_total=True)


def _nullable(expression: ResolvedExpression) -> ResolvedExpression:
    assert isinstance(expression, FieldReferenceExpression)
    return replace(expression, output_type=expression.output_type.with_nullability(True))


def _inputs(node: AggregateQueryOperation) -> list[int]:
    """Returns the positions of the child's columns that are used."""
    return sorted(position for _, position in references([*node.grouping, *(e for a in node.aggregates for e in _expressions(a))]))


def _expressions(aggregate: AggregateCall) -> list[ResolvedExpression]:
    filters = [aggregate.filter] if aggregate.filter is not None else []
    return [*aggregate.args, *filters, *(order.expression for order in aggregate.order_by)]


def _moved(aggregate: AggregateCall, columns: dict[int, FieldReferenceExpression]) -> AggregateCall:
    def order(given: SortOrder) -> SortOrder:
        assert isinstance(given.expression, FieldReferenceExpression)
        return replace(given, expression=columns[given.expression.field_index])

    return replace(
        aggregate,
        args=tuple(columns[arg.field_index] for arg in aggregate.args),
        filter=columns[aggregate.filter.field_index] if aggregate.filter is not None else None,
        order_by=tuple(map(order, aggregate.order_by)),
    )


def _over_nothing_too(unnesting: Decorrelation, child: Decorrelated, node: AggregateQueryOperation) -> Decorrelated:
    """Returns a global aggregate whose functions define their own results for empty input.

    The outer values are left-joined with their rows, and each function skips the padded rows.
    """
    bound = unnesting.domain.bind(child)
    values = unnesting.domain.values(bound.arguments)
    count = len(bound.arguments)
    marked = _with_marker(bound)
    conditions: list[ResolvedExpression] = []
    for i, position in enumerate(bound.arguments):
        column = bound.column_of(position)
        outer = FieldReferenceExpression(column.name, values.resolved_schema.columns[i].data_type, 0, i)
        conditions += same_value(outer, replace(column, input_index=1))
    joined = JoinQueryOperation(values, marked, JoinType.LEFT_OUTER, conjunction(conditions) if conditions else None)
    columns = references_of(joined)
    marker = columns[-1]
    filters: list[ResolvedExpression] = []
    for aggregate in node.aggregates:
        own = [columns[count + aggregate.filter.field_index]] if aggregate.filter is not None else []
        filters.append(call(logic.IS_TRUE, conjunction([marker, *own])))
    plan, filter_columns = materialized(Decorrelated.plain(joined), filters)
    moved = {i: columns[count + i] for i in range(bound.width)}
    calls = tuple(replace(_moved(replace(a, filter=None), moved), filter=f) for a, f in zip(node.aggregates, filter_columns, strict=True))
    names = (*(column.name for column in columns[:count]), *node.names)
    grouped = AggregateQueryOperation(columns[:count], calls, names, plan, state_ttl=node.state_ttl)
    result = references_of(grouped)
    ordered = ProjectQueryOperation((*result[count:], *result[:count]), (*node.names, *names[:count]), grouped)
    return unnesting.domain.unnested(DomainJoin(ordered, len(calls), bound.arguments))


def _with_marker(bound: DomainJoin) -> ProjectQueryOperation:
    names = (*bound.plan.resolved_schema.column_names, "$marker")
    return ProjectQueryOperation((*references_of(bound.plan), boolean(True)), names, bound.plan)
