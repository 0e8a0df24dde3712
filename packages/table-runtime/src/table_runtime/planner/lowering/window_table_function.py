"""Lowers the window table functions TUMBLE, HOP, CUMULATE and SESSION."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from table_api.operations import (
    CumulateWindow,
    HopWindow,
    SessionWindow,
    TumbleWindow,
    WindowAssigner,
    WindowTableFunctionQueryOperation,
)
from table_common.tree import TypeDispatch
from table_common.types import TimestampType
from table_runtime.batch.session_windows import SessionWindowTableFunction
from table_runtime.casts import cast
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator
from table_runtime.steps.pipeline import Pipeline
from table_runtime.steps.window_table_function import AlignedWindows, CumulateWindows, HopWindows, TumbleWindows
from table_runtime.steps.window_table_function.operator import TimeColumn, WindowTableFunction

_LOCAL = TimestampType(3)
_aligned: TypeDispatch[[], AlignedWindows] = TypeDispatch("The embedded engine")


@lower.register(WindowTableFunctionQueryOperation)
def lower_window_table_function(node: WindowTableFunctionQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    schema = arrow_schema(node.resolved_schema, context)
    time = time_column(node, context)
    text = ", ".join(str(value) for name, values in node.summary_details() if name == "window" for value in values)
    if isinstance(node.window, SessionWindow):
        return SessionWindowTableFunction(child, schema, time, [key.field_index for key in node.partition_by], node.window.gap, text)
    return Pipeline.over(child, WindowTableFunction(schema, time, aligned_windows(node.window), text))


def time_column(node: WindowTableFunctionQueryOperation, context: LoweringContext) -> TimeColumn:
    """Returns the column by whose values the windows of a node are assigned."""
    type_, time_type, evaluation = node.time.output_type, node.window_time_type, context.evaluation
    # No closures, which would keep the node: operators are pickled, and a node has options of tables below it.
    return TimeColumn(
        node.time.field_index,
        partial(cast, source=type_, target=_LOCAL, context=evaluation),
        partial(cast, source=_LOCAL, target=time_type, context=evaluation),
    )


def aligned_windows(window: WindowAssigner) -> AlignedWindows:
    """Returns the windows of an assigner that depend on the row's time only."""
    return _aligned(window)


@_aligned.register(TumbleWindow)
def _tumble(window: TumbleWindow) -> AlignedWindows:
    return TumbleWindows(window.size, window.offset)


@_aligned.register(HopWindow)
def _hop(window: HopWindow) -> AlignedWindows:
    return HopWindows(window.slide, window.size, window.offset)


@_aligned.register(CumulateWindow)
def _cumulate(window: CumulateWindow) -> AlignedWindows:
    return CumulateWindows(window.step, window.size, window.offset)
