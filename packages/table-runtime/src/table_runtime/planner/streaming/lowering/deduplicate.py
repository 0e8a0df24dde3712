"""Lowers deduplication by processing time and by event time."""

from __future__ import annotations

from functools import partial

from table_api.operations.changelog import DeduplicateQueryOperation, UpdateKind
from table_api.plan import node_details
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.changelog_normalize import LastRowByKey
from table_runtime.streaming.operators.keep_first_row import KeepFirstRow
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.row_by_time import FirstRowByTime, LastRowByTime


@lower_node.register(DeduplicateQueryOperation)
def lower_deduplicate(node: DeduplicateQueryOperation, context: StreamContext) -> AnyOperator:
    schema = arrow_schema(node.resolved_schema, context.lowering)
    key = [reference.field_index for reference in node.keys]
    text = node_details(node)
    if not node.keep_last:
        return KeepFirstRow(schema, key, text) if node.rowtime is None else FirstRowByTime(schema, key, node.rowtime.field_index, text)
    gives_before = context.changes_of(node).updates is not UpdateKind.ONLY_UPDATE_AFTER
    make = LastRowByKey if node.rowtime is None else partial(LastRowByTime, time=node.rowtime.field_index)
    return make(
        schema,
        key,
        name="Deduplicate",
        gives_before=gives_before,
        # By event time all rows are given, as in Flink: a temporal join reads them as versions.
        nets_batches=context.nets_batches and node.rowtime is None,
        repeats_unchanged=context.retention > 0,
        text=text,
    )
