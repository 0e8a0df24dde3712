"""OVER windows: one projection with window functions."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import AggregateCall, FrameBoundKind, FrameUnit, WindowBound, WindowCall, WindowFrame, WindowQueryOperation
from table_api_bridge import has_nanosecond_encoding
from table_common.exceptions import TableException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates, windows
from table_common.types import DateType, DayTimeIntervalType
from table_planner_spark.context import Lowered, LoweringContext
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.converter import refusal_of, to_spark_sql
from table_planner_spark.expressions.functions import AGGREGATE_FUNCTIONS, AggregateArguments
from table_planner_spark.expressions.names import quote_name, to_type_sql
from table_planner_spark.expressions.temporal_encoding import micros_of_interval
from table_planner_spark.lowering.dispatch import lower

__all__ = ["WINDOW_FUNCTIONS", "lower_window"]

WINDOW_FUNCTIONS: dict[FunctionDefinition, str] = {
    windows.ROW_NUMBER: "row_number",
    windows.RANK: "rank",
    windows.DENSE_RANK: "dense_rank",
    windows.NTILE: "ntile",
    windows.PERCENT_RANK: "percent_rank",
    windows.CUME_DIST: "cume_dist",
    windows.LAG: "lag",
    windows.LEAD: "lead",
}
"""The functions that exist only over windows; aggregates can be used over windows too."""

_FIRST_OR_LAST = {aggregates.FIRST_VALUE: "first", aggregates.LAST_VALUE: "last"}


@lower.register(WindowQueryOperation)
def lower_window(op: WindowQueryOperation, inputs: Sequence[Lowered], context: LoweringContext) -> Lowered:
    """Adds a column for each call."""
    (child,) = inputs
    names = context.new_names(op.names)
    kept = [quote_name(name) for name in child.columns]
    calls = [f"{_call(call, op, child.columns)} AS {quote_name(name)}" for call, name in zip(op.calls, names, strict=True)]
    return Lowered(child.frame.selectExpr(*kept, *calls), (*child.columns, *names))


def _call(call: WindowCall, op: WindowQueryOperation, columns: Sequence[str]) -> str:
    args = [to_spark_sql(arg, columns) for arg in call.args]
    over = f" OVER ({_window(call.frame, op, columns)})"
    name = WINDOW_FUNCTIONS.get(call.function)
    if name is not None:
        if len(args) > 2:  # the default of LAG and LEAD
            args[2] = to_spark_cast(args[2], call.args[2].output_type, call.args[0].output_type.with_nullability(True))
        nulls = " IGNORE NULLS" if call.ignore_nulls else ""
        text = f"CAST({name}({', '.join(args)}){nulls}{over} AS {to_type_sql(call.output_type)})"
        # As in Flink the default also stands for a NULL found, where the result is NOT NULL.
        return f"coalesce({text}, {args[2]})" if len(args) > 2 and not call.output_type.nullable else text
    condition = "" if call.filter is None else f" FILTER (WHERE {to_spark_sql(call.filter, columns)})"
    if call.function in _FIRST_OR_LAST:
        ignore = "false" if call.ignore_nulls is False else "true"
        return f"{_FIRST_OR_LAST[call.function]}({args[0]}, {ignore}){condition}{over}"
    if call.distinct:
        if call.function is not aggregates.COUNT or len(args) != 1:
            raise TableException(f"The planner 'spark' does not run {call.function.name}(DISTINCT …) over a window.")
        return f"CAST(size(collect_set({args[0]}){condition}{over}) AS BIGINT)"
    translate = AGGREGATE_FUNCTIONS.get(call.function)
    if translate is None:
        raise TableException(refusal_of(call.function))
    constants = tuple(arg.value for arg in call.args[1:] if isinstance(arg, ValueLiteralExpression))
    references: tuple[ResolvedExpression, ...] = tuple(
        arg for position, arg in enumerate(call.args) if position == 0 or isinstance(arg, FieldReferenceExpression)
    )
    # A translation may call several aggregates; what follows each of them is the window as well as the filter.
    like = AggregateCall(call.function, references, call.output_type, constant_args=constants)  # type: ignore[arg-type]
    texts = tuple(to_spark_sql(arg, columns) for arg in references)
    return translate(like, AggregateArguments(texts, "", condition + over))


def _window(frame: WindowFrame | None, op: WindowQueryOperation, columns: Sequence[str]) -> str:
    parts = []
    if op.partition_by:
        parts.append(f"PARTITION BY {', '.join(to_spark_sql(reference, columns) for reference in op.partition_by)}")
    is_distance = frame is not None and frame.unit is FrameUnit.RANGE and (frame.lower.offset or frame.upper.offset) is not None
    if op.order_by:
        orders = []
        for order in op.order_by:
            key = to_spark_sql(order.expression, columns)
            if is_distance and isinstance(order.expression.output_type, DateType):  # Spark adds no hours to a date
                key = f"CAST({key} AS TIMESTAMP_NTZ)"
            orders.append(f"{key} {'ASC' if order.ascending else 'DESC'} NULLS {'FIRST' if order.nulls_first else 'LAST'}")
        parts.append(f"ORDER BY {', '.join(orders)}")
        if frame is not None:
            bounds = f"{_bound(frame.lower, frame.unit, op)} AND {_bound(frame.upper, frame.unit, op)}"
            parts.append(f"{frame.unit.value} BETWEEN {bounds}")
    elif frame is not None and frame.unit is FrameUnit.ROWS:
        parts.append(f"ORDER BY NULL ROWS BETWEEN {_bound(frame.lower, frame.unit, op)} AND {_bound(frame.upper, frame.unit, op)}")
    return " ".join(parts)


def _bound(bound: WindowBound, unit: FrameUnit, op: WindowQueryOperation) -> str:
    if bound.offset is None:
        return bound.kind.value
    if unit is FrameUnit.ROWS:
        return f"{int(bound.offset.value)} {_direction(bound)}"
    text = to_spark_sql(bound.offset)
    key = op.order_by[0].expression.output_type
    if has_nanosecond_encoding(key) and isinstance(bound.offset.output_type, DayTimeIntervalType):
        text = f"({micros_of_interval(text)} * 1000L)"
    elif not isinstance(bound.offset.output_type, DayTimeIntervalType) and type(key) is not type(bound.offset.output_type):
        text = to_spark_cast(text, bound.offset.output_type, key.with_nullability(True))
    return f"{text} {_direction(bound)}"


def _direction(bound: WindowBound) -> str:
    return "PRECEDING" if bound.kind is FrameBoundKind.PRECEDING else "FOLLOWING"
