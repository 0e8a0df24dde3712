"""Lowers aggregates of time windows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyarrow as pa

from table_api.operations.changelog import UpdateKind, WindowAggregateQueryOperation
from table_api.plan import node_details, shown_columns
from table_common.types import LogicalType, TimestampType
from table_runtime.expressions import EvaluationContext
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.aggregate import aggregate_column
from table_runtime.planner.lowering.window_table_function import aligned_windows, time_column
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.planner.streaming.lowering.window_rows import WindowRows, window_rows
from table_runtime.streaming.changes.batch import Times
from table_runtime.streaming.operators.emitting_window_aggregate import Emission, EmittingWindowAggregate
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.sliced_window_aggregate import SlicedWindowAggregate
from table_runtime.streaming.operators.window_aggregate import WindowAggregate
from table_runtime.streaming.operators.window_spans import WindowSpans
from table_runtime.streaming.time.window_clock import WindowClock, WindowEnds


@lower_node.register(WindowAggregateQueryOperation)
def lower_window_aggregate(node: WindowAggregateQueryOperation, context: StreamContext) -> AnyOperator:
    rows = window_rows(node, context)
    if rows is not None:
        return _sliced(node, rows, context)
    (given,) = context.changes_of_inputs(node)
    shown = shown_columns(node.child)
    make: Callable[..., WindowAggregate] = WindowAggregate
    if node.emission is not None:
        make = partial(
            EmittingWindowAggregate,
            emission=Emission(node.emission.early, node.emission.late, node.emission.lateness),
            gives_before=context.changes_of(node).updates is not UpdateKind.ONLY_UPDATE_AFTER,
        )
    return make(
        arrow_schema(node.resolved_schema, context.lowering),
        arrow_schema(node.child.resolved_schema, context.lowering),
        [reference.field_index for reference in node.grouping],
        [aggregate_column(call, shown) for call in node.aggregates],
        node.grouping_sets,
        end=node.end,
        last_millisecond=last_millisecond(node.time_type, context.lowering.evaluation),
        retracted=[not given.is_insert_only] * len(node.aggregates),
        text=node_details(node),
    )


def _sliced(node: WindowAggregateQueryOperation, rows: WindowRows, context: StreamContext) -> SlicedWindowAggregate:
    function = rows.function
    shown = shown_columns(node.child)
    is_local = not isinstance(node.time_type, TimestampType)
    spans = WindowSpans(
        aligned_windows(function.window),
        time_column(function, context.lowering),
        last_millisecond(node.time_type, context.lowering.evaluation) if is_local else None,
    )
    return SlicedWindowAggregate(
        arrow_schema(node.resolved_schema, context.lowering),
        arrow_schema(rows.top.resolved_schema, context.lowering),
        [reference.field_index if part is None else rows.time for reference, part in zip(node.grouping, rows.window_columns, strict=True)],
        [aggregate_column(call, shown) for call in node.aggregates],
        node.grouping_sets,
        time=rows.time,
        spans=spans,
        window_columns=rows.window_columns,
        shown_keys=[shown[reference.field_index] for reference in node.grouping],
        text=node_details(node),
    )


def last_millisecond(time_type: LogicalType, context: EvaluationContext) -> Callable[[pa.Array], Times]:
    """Returns a function from window ends to the last millisecond of each window as event time: of TIMESTAMP_LTZ windows, which are on local clocks, the instant."""
    return WindowEnds(None if isinstance(time_type, TimestampType) else window_clock(time_type, context))


def window_clock(time_type: LogicalType, context: EvaluationContext) -> WindowClock:
    """Returns the clocks on which the windows over a time attribute start and end."""
    return WindowClock(None if isinstance(time_type, TimestampType) else context.time_zone)
