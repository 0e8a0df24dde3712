"""Lowers the normalization of upsert sources."""

from __future__ import annotations

from table_api.operations.changelog import ChangelogNormalizeQueryOperation, UpdateKind
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.changelog_normalize import LastRowByKey
from table_runtime.streaming.operators.operator import AnyOperator


@lower_node.register(ChangelogNormalizeQueryOperation)
def lower_changelog_normalize(node: ChangelogNormalizeQueryOperation, context: StreamContext) -> AnyOperator:
    return LastRowByKey(
        arrow_schema(node.resolved_schema, context.lowering),
        [reference.field_index for reference in node.key],
        name="ChangelogNormalize",
        gives_before=context.changes_of(node).updates is not UpdateKind.ONLY_UPDATE_AFTER,
        repeats_unchanged=context.retention > 0,
        text=f"key=[{', '.join(map(str, node.key))}]",
    )
