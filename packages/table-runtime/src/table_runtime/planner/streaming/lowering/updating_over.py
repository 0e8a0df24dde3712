"""Lowers OVER windows whose results change: the calls are those of the batch plan, over versions of partitions."""

from __future__ import annotations

from table_api.operations import ValuesQueryOperation, WindowQueryOperation
from table_api.operations.changelog import UpdateKind, UpdatingOverQueryOperation
from table_api.plan import node_details, shown_columns
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.expressions import FieldReferenceExpression
from table_common.types import BigIntType
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.window import over_operator, sort_key
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.stateless import BatchInput
from table_runtime.streaming.operators.updating_over import UpdatingOver

_VERSION = PhysicalColumn("$version", BigIntType(nullable=False))


@lower_node.register(UpdatingOverQueryOperation)
def lower_updating_over(node: UpdatingOverQueryOperation, context: StreamContext) -> AnyOperator:
    schema = node.child.resolved_schema
    version = FieldReferenceExpression(_VERSION.name, _VERSION.data_type, 0, len(schema.columns))
    versions = ValuesQueryOperation((), ResolvedSchema((*schema.columns, _VERSION)))
    leaf = BatchInput(arrow_schema(versions.resolved_schema, context.lowering))
    partition_by = tuple(reference.field_index for reference in node.partition_by)
    over = WindowQueryOperation((version,), node.order_by, node.calls, node.names, versions)
    root = over_operator(over, leaf, context.lowering, shown_columns(node.child), partition_by).in_order()
    (given,) = context.changes_of_inputs(node)
    return UpdatingOver(
        arrow_schema(node.resolved_schema, context.lowering),
        arrow_schema(schema, context.lowering),
        partition_by,
        [sort_key(order) for order in node.order_by],
        root,
        leaf,
        looks_back=node.looks_back,
        has_peers=node.has_peers,
        has_retractions=not given.is_insert_only,
        key=context.key_of(node.child),
        gives_before=context.changes_of(node).updates is not UpdateKind.ONLY_UPDATE_AFTER,
        text=node_details(node),
    )
