"""Lowers GROUP BY and aggregates."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import AggregateCall, AggregateQueryOperation
from table_api.plan import node_details, shown_columns
from table_common.exceptions import TableInternalError
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.functions.builtin import aggregates as fn
from table_runtime.aggregates import Accumulator, AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.batch.aggregation.hash_aggregate import HashAggregate
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dictionaries import allow_dictionaries
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator


@lower.register(AggregateQueryOperation)
def lower_aggregate(node: AggregateQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    grouping = {reference.field_index for reference in node.grouping}
    shown = shown_columns(node.child)
    calls = [aggregate_column(call, shown) for call in node.aggregates]
    others = {position for call in calls for position in _columns_of(call)}
    allow_dictionaries(child, grouping - others)
    return HashAggregate(
        child,
        arrow_schema(node.resolved_schema, context),
        [reference.field_index for reference in node.grouping],
        calls,
        node.grouping_sets,
        node_details(node),
    )


def aggregate_column(call: AggregateCall, shown: tuple[str, ...] = ()) -> AggregateColumn:
    """Returns the physical form of an aggregate call; ``shown`` are the columns of its input as messages name them."""
    keys = [_position(order.expression) for order in call.order_by]
    spec = AggregateSpec(
        call.function.name,
        tuple(arg.output_type for arg in call.args),
        call.output_type,
        call.constant_args,
        tuple((order.ascending, order.nulls_first) for order in call.order_by),
    )
    return AggregateColumn(
        _accumulator(call, spec),
        (*(arg.field_index for arg in call.args), *keys),
        call.function.aggregate_traits.drops_duplicates(call.distinct),
        None if call.filter is None else call.filter.field_index,
        shown,
        call.function.aggregate_traits.depends_on_order,
    )


def _accumulator(call: AggregateCall, spec: AggregateSpec) -> Accumulator:
    if call.function is fn.SUM and call.constant_args:  # as ``move_sums`` makes it
        from table_runtime.aggregates.moved_sums import MovedSum

        return MovedSum(spec, *call.constant_args)
    return make_accumulator(call.function, spec)


def _columns_of(column: AggregateColumn) -> tuple[int, ...]:
    return column.args if column.filter is None else (*column.args, column.filter)


def _position(expression: ResolvedExpression) -> int:
    if not isinstance(expression, FieldReferenceExpression):
        raise TableInternalError(f"A sort key is not a column: {expression}.")
    return expression.field_index
