"""Lowers FROM_CHANGELOG."""

from __future__ import annotations

from table_api.operations import FromChangelogQueryOperation
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.from_changelog import FromChangelog
from table_runtime.streaming.operators.operator import AnyOperator


@lower_node.register(FromChangelogQueryOperation)
def lower_from_changelog(node: FromChangelogQueryOperation, context: StreamContext) -> AnyOperator:
    return FromChangelog(arrow_schema(node.resolved_schema, context.lowering), node.op.field_index, node.op.name, dict(node.codes))
