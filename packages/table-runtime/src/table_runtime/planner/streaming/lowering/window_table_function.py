"""Lowers SESSION windows; the other windows depend on one row each and are part of a chain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from table_api.operations import SessionWindow, WindowTableFunctionQueryOperation
from table_common.arrow import to_arrow_type
from table_common.types import LogicalType, TimestampType, is_proctime
from table_runtime.casts import cast
from table_runtime.changelog.batch import Times
from table_runtime.changelog.operator import AnyOperator
from table_runtime.changelog.operators.session_windows import SessionWindows
from table_runtime.expressions import EvaluationContext
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node

__all__ = ["lower_window_table_function"]

_LOCAL = TimestampType(3)


@lower_node.register(WindowTableFunctionQueryOperation)
def lower_window_table_function(node: WindowTableFunctionQueryOperation, context: StreamContext) -> AnyOperator:
    assert isinstance(node.window, SessionWindow)
    (given,) = context.changes_of_inputs(node)
    return SessionWindows(
        arrow_schema(node.resolved_schema, context.lowering),
        arrow_schema(node.child.resolved_schema, context.lowering),
        node.time.field_index,
        [key.field_index for key in node.partition_by],
        node.window.gap,
        _window_columns(node.time.output_type, context.lowering.evaluation),
        ", ".join(str(value) for name, values in node.summary_details() if name == "window" for value in values),
        follows_clock=is_proctime(node.time.output_type),
        has_changes=not given.is_insert_only,
    )


def _window_columns(time_type: LogicalType, context: EvaluationContext) -> Callable[[Times, Times], Sequence[pa.Array]]:
    """Returns a function from starts and ends, as instants in milliseconds, to the columns window_start, window_end and window_time."""
    arrow_type = to_arrow_type(time_type)
    in_milliseconds = pa.timestamp("ms", arrow_type.tz)

    def columns(starts: Times, ends: Times) -> Sequence[pa.Array]:
        start, end, last = (pa.array(times, in_milliseconds).cast(arrow_type) for times in (starts, ends, ends - 1))
        return [cast(start, time_type, _LOCAL, context), cast(end, time_type, _LOCAL, context), last]

    return columns
