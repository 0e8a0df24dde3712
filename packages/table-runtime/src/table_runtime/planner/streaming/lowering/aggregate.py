"""Lowers GROUP BY over changelogs."""

from __future__ import annotations

from table_api.operations import AggregateCall, AggregateQueryOperation
from table_api.operations.changelog import UpdateKind
from table_api.plan import node_details, shown_columns
from table_common.functions import Monotonicity
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.aggregate import aggregate_column
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.retention import retentions_of
from table_runtime.streaming.operators.group_aggregate import GroupAggregate
from table_runtime.streaming.operators.operator import AnyOperator


@lower_node.register(AggregateQueryOperation)
def lower_aggregate(node: AggregateQueryOperation, context: StreamContext) -> AnyOperator:
    (given,) = context.changes_of_inputs(node)
    (retention,) = retentions_of(node, context.retention)

    stays_in_group = all(context.plan.monotonicity_of(node.child, key.field_index) is Monotonicity.CONSTANT for key in node.grouping)

    def ignores_retractions(call: AggregateCall) -> bool:
        """Whether retractions never change the result: the maximum of values that only grow, or the minimum of values that only shrink, in groups that rows do not leave."""
        traits = call.function.aggregate_traits
        if given.deletes.value or not traits.is_extreme or call.filter is not None or not stays_in_group:
            return False
        return context.plan.monotonicity_of(node.child, call.args[0].field_index) is traits.monotonicity

    shown = shown_columns(node.child)
    return GroupAggregate(
        arrow_schema(node.resolved_schema, context.lowering),
        arrow_schema(node.child.resolved_schema, context.lowering),
        [reference.field_index for reference in node.grouping],
        [aggregate_column(call, shown) for call in node.aggregates],
        node.grouping_sets,
        retracted=[not given.is_insert_only and not ignores_retractions(call) for call in node.aggregates],
        gives_before=context.changes_of(node).updates is UpdateKind.BEFORE_AND_AFTER,
        nets_batches=context.nets_batches,
        has_empty_row=node.is_one_group and not node.skips_no_input,
        repeats_unchanged=retention > 0,
        text=node_details(node),
    )
