"""Lowers TO_CHANGELOG."""

from __future__ import annotations

from table_api.operations import ToChangelogQueryOperation
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.to_changelog import ToChangelog


@lower_node.register(ToChangelogQueryOperation)
def lower_to_changelog(node: ToChangelogQueryOperation, context: StreamContext) -> AnyOperator:
    return ToChangelog(arrow_schema(node.resolved_schema, context.lowering), dict(node.codes))
