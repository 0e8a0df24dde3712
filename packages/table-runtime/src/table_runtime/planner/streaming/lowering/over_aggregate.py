"""Lowers OVER windows in the order of time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from table_api.operations import FrameBoundKind, FrameUnit, WindowCall, WindowFrame
from table_api.operations.changelog import OverAggregateQueryOperation
from table_api.plan import node_details, shown_columns
from table_common.arrow import to_arrow_type
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import windows
from table_common.types import DayTimeIntervalType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.expressions.literal import to_arrow_scalar
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.window import split_constants
from table_runtime.planner.streaming.lowering.dispatch import StreamContext, lower_node
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.over import Lateness, Over
from table_runtime.streaming.over.aggregates import FrameStart, OverAggregates, Unit
from table_runtime.streaming.over.calls import AnyCalls
from table_runtime.streaming.over.lag import OverLag
from table_runtime.streaming.over.ranks import OverRank, RankKind


@lower_node.register(OverAggregateQueryOperation)
def lower_over_aggregate(node: OverAggregateQueryOperation, context: StreamContext) -> AnyOperator:
    input_schema = arrow_schema(node.child.resolved_schema, context.lowering)
    partition_by = [reference.field_index for reference in node.partition_by]
    shown = shown_columns(node.child)
    calls: list[AnyCalls] = []
    by_frame: dict[FrameStart, list[tuple[int, AggregateColumn]]] = {}
    for number, call in enumerate(node.calls):
        if call.function in (windows.ROW_NUMBER, windows.RANK, windows.DENSE_RANK):
            calls.append(OverRank(number, RankKind[call.function.name], to_arrow_type(call.output_type)))
        elif call.function is windows.LAG:
            calls.append(_lag(number, call, input_schema))
        else:
            assert call.frame is not None
            by_frame.setdefault(_frame(call.frame), []).append((number, _aggregate(call, shown)))
    for frame, columns in by_frame.items():
        numbers, aggregates = zip(*columns, strict=True)
        calls.append(OverAggregates(numbers, frame, input_schema, partition_by, aggregates))
    return Over(
        arrow_schema(node.resolved_schema, context.lowering),
        input_schema,
        partition_by,
        None if node.is_processing_time else node.time.field_index,
        calls,
        lateness=_lateness(by_frame) if len(calls) == len(by_frame) else Lateness.BEHIND_WATERMARK,
        text=node_details(node),
    )


def _lateness(frames: Iterable[FrameStart]) -> Lateness:
    """Returns the rule for windows all of whose calls have frames."""
    if any(frame.distance is None for frame in frames):
        return Lateness.BEHIND_WATERMARK
    return Lateness.BEHIND_PARTITION


def _frame(frame: WindowFrame) -> FrameStart:
    unit = Unit.RANGE if frame.unit is FrameUnit.RANGE else Unit.ROWS
    if frame.lower.kind is FrameBoundKind.UNBOUNDED_PRECEDING:
        return FrameStart(unit, None)
    if frame.lower.kind is FrameBoundKind.CURRENT_ROW:
        return FrameStart(unit, 0)
    assert frame.lower.offset is not None
    offset = frame.lower.offset
    # Intervals are in nanoseconds.
    return FrameStart(unit, offset.value // 1_000_000 if isinstance(offset.output_type, DayTimeIntervalType) else int(offset.value))


def _aggregate(call: WindowCall, shown: tuple[str, ...]) -> AggregateColumn:
    args, constants = split_constants(call)
    columns = [arg for arg in args if isinstance(arg, FieldReferenceExpression)]
    spec = AggregateSpec(call.function.name, tuple(arg.output_type for arg in columns), call.output_type, constants)
    return AggregateColumn(
        make_accumulator(call.function, spec),
        tuple(arg.field_index for arg in columns),
        call.function.aggregate_traits.drops_duplicates(call.distinct),
        None if call.filter is None else call.filter.field_index,
        shown,
    )


def _lag(number: int, call: WindowCall, input_schema: Any) -> OverLag:
    value, *options = call.args
    assert isinstance(value, FieldReferenceExpression)
    output_type = to_arrow_type(call.output_type)
    distance = options[0].value if options and isinstance(options[0], ValueLiteralExpression) else 1
    default = to_arrow_scalar(ValueLiteralExpression(None, call.output_type)) if len(options) < 2 else _default(options[1])
    return OverLag(number, value.field_index, distance, default, input_schema.field(value.field_index).type, output_type)


def _default(expression: Any) -> Any:
    return expression.field_index if isinstance(expression, FieldReferenceExpression) else to_arrow_scalar(expression)
