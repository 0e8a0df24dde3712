"""Lowers SESSION windows; the other windows depend on one row each and are part of a chain."""

from __future__ import annotations

from table_api.operations import SessionWindow, WindowTableFunctionQueryOperation
from table_common.types import is_proctime
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.window_table_function import time_column
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.lowering.window_aggregate import window_clock
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.session_windows import SessionWindows


@lower_node.register(WindowTableFunctionQueryOperation)
def lower_window_table_function(node: WindowTableFunctionQueryOperation, context: StreamContext) -> AnyOperator:
    assert isinstance(node.window, SessionWindow)
    (given,) = context.changes_of_inputs(node)
    return SessionWindows(
        arrow_schema(node.resolved_schema, context.lowering),
        arrow_schema(node.child.resolved_schema, context.lowering),
        time_column(node, context.lowering),
        [key.field_index for key in node.partition_by],
        node.window.gap,
        window_clock(node.time.output_type, context.lowering.evaluation),
        ", ".join(str(value) for name, values in node.summary_details() if name == "window" for value in values),
        follows_clock=is_proctime(node.time.output_type),
        has_changes=not given.is_insert_only,
    )
