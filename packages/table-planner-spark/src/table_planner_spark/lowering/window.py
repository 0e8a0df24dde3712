"""Lowers OVER windows to one projection with window functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_api.operations import AggregateCall, FrameBoundKind, FrameUnit, WindowBound, WindowCall, WindowFrame, WindowQueryOperation
from table_api.plan import shown_columns, shown_text
from table_api_bridge import has_nanosecond_encoding
from table_common.exceptions import TableException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import DistinctEffect, FunctionDefinition
from table_common.functions.builtin import aggregates, windows
from table_common.tree import preorder
from table_common.types import (
    EXACT_INTEGERS,
    INTERVALS,
    NUMERICS,
    BigIntType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    LogicalType,
    TimeType,
    YearMonthIntervalType,
    find_common_type,
)
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.converter import refusal_of, to_spark_sql
from table_planner_spark.expressions.engine_functions import SparkFunction, call_text
from table_planner_spark.expressions.functions import AGGREGATE_FUNCTIONS, AggregateArguments
from table_planner_spark.expressions.functions.distinct_windows import distinct_over_window
from table_planner_spark.expressions.names import to_type_sql
from table_planner_spark.expressions.temporal_encoding import to_nanos
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.lowering.shown_places import ShownKey, shown_place
from table_planner_spark.relation import SparkRelation

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
_LARGEST_INT = (1 << 31) - 1
_PLACE_OF_CONSTANT: dict[FunctionDefinition, int] = {windows.NTILE: 0, windows.LAG: 1, windows.LEAD: 1}
"""The position of the argument that Spark requires to be constant."""


@lower.register(WindowQueryOperation)
def lower_window(node: WindowQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Adds a column for each call."""
    (child,) = inputs
    calls = {name: _call(call, node, child.columns) for call, name in zip(node.calls, context.new_names(node.names), strict=True)}
    arguments = {child.columns[one.field_index] for one in _references(node)}
    return child.with_windows(calls, arguments, merges=context.has_many_windows and context.has_one_reader(node.child))


def _references(node: WindowQueryOperation) -> Iterator[FieldReferenceExpression]:
    for expression in node.expressions:
        yield from (one for one in preorder(expression, ResolvedExpression) if isinstance(one, FieldReferenceExpression))


def _call(call: WindowCall, node: WindowQueryOperation, columns: Sequence[str]) -> str:
    args = [to_spark_sql(arg, columns) for arg in call.args]
    over = f" OVER ({_window(call.frame, node, columns)})"
    name = WINDOW_FUNCTIONS.get(call.function)
    if name is not None:
        place = _PLACE_OF_CONSTANT.get(call.function, len(args))
        if place < len(args) and not isinstance(call.args[place], ValueLiteralExpression):
            raise TableException(f"The planner 'spark' runs {call.function.name} only with a constant as argument {place + 1}.")
        if place < len(args):
            args[place] = _within_int(call.args[place], args[place])
        if len(args) > 2:  # the default of LAG and LEAD
            args[2] = to_spark_cast(args[2], call.args[2].output_type, call.args[0].output_type.with_nullability(True))
        nulls = " IGNORE NULLS" if call.ignore_nulls else ""
        return f"CAST({name}({', '.join(args)}){nulls}{over} AS {to_type_sql(call.output_type)})"
    condition = "" if call.filter is None else f" FILTER (WHERE {to_spark_sql(call.filter, columns)})"
    if call.function in _FIRST_OR_LAST:
        ignore = "false" if call.ignore_nulls is False else "true"
        return f"{_FIRST_OR_LAST[call.function]}({args[0]}, {ignore}){condition}{over}"
    if call.function.is_user_defined:
        from table_planner_spark.expressions.user_functions import aggregate_call

        like_call = AggregateCall(call.function, call.args, call.output_type, call.distinct)  # type: ignore[arg-type]
        return aggregate_call(like_call, args, condition + over)
    if isinstance(call.function, SparkFunction):
        return call_text(call.function, args, [arg.output_type for arg in call.args], call.output_type, condition + over)
    translate = AGGREGATE_FUNCTIONS.get(call.function)
    if translate is None:
        raise TableException(refusal_of(call.function))
    has_options = call.function.aggregate_traits.has_parameters
    constants = tuple(arg.value for arg in call.args[1:] if has_options and isinstance(arg, ValueLiteralExpression))
    references: tuple[ResolvedExpression, ...] = call.args[: len(call.args) - len(constants)]
    # A translation may contain several aggregate calls; FILTER and OVER follow each of them.
    like = AggregateCall(call.function, references, call.output_type, constant_args=constants)  # type: ignore[arg-type]
    shown = _place(call, node, columns) if call.function in (aggregates.SUM, aggregates.SUM0) else ""
    given = AggregateArguments(tuple(to_spark_sql(arg, columns) for arg in references), "", condition + over, place=shown)
    if call.distinct and call.function.aggregate_traits.distinct is DistinctEffect.DROPS_DUPLICATES:
        return distinct_over_window(like, given)
    return translate(like, given)


def _place(call: WindowCall, node: WindowQueryOperation, columns: Sequence[str]) -> str:
    """Returns the text expression that names a call and its partition in errors."""
    shown = shown_columns(node.child)
    keys = [ShownKey(shown_text(one, shown), to_spark_sql(one, columns), one.output_type) for one in node.partition_by]
    return shown_place(call.function.name, [shown_text(arg, shown) for arg in call.args], keys, "partition", distinct=call.distinct)


def _within_int(argument: ResolvedExpression, text: str) -> str:
    """Returns a number of rows or buckets clamped to INT, as Spark requires; no partition has more rows."""
    if isinstance(argument, ValueLiteralExpression) and isinstance(argument.value, int) and argument.value > _LARGEST_INT:
        return str(_LARGEST_INT)
    return text


def _window(frame: WindowFrame | None, node: WindowQueryOperation, columns: Sequence[str]) -> str:
    parts = []
    if node.partition_by:
        parts.append(f"PARTITION BY {', '.join(to_spark_sql(reference, columns) for reference in node.partition_by)}")
    if node.order_by:
        orders = []
        for order in node.order_by:
            key = to_spark_sql(order.expression, columns)
            if frame is not None and frame.unit is FrameUnit.RANGE:
                key = _comparable(key, order.expression.output_type, frame)
            orders.append(f"{key} {'ASC' if order.ascending else 'DESC'} NULLS {'FIRST' if order.nulls_first else 'LAST'}")
        parts.append(f"ORDER BY {', '.join(orders)}")
        if frame is not None:
            bounds = f"{_bound(frame.lower, frame, node)} AND {_bound(frame.upper, frame, node)}"
            parts.append(f"{frame.unit.value} BETWEEN {bounds}")
    elif frame is None:  # LAG, LEAD and NTILE in the order of the input
        parts.append("ORDER BY NULL")
    elif frame.unit is FrameUnit.ROWS:
        parts.append(f"ORDER BY NULL ROWS BETWEEN {_bound(frame.lower, frame, node)} AND {_bound(frame.upper, frame, node)}")
    return " ".join(parts)


def _comparable(key: str, type_: LogicalType, frame: WindowFrame) -> str:
    """Casts a sort key to a type to which Spark can add the frame's offsets: it adds no hours to dates, and no numbers of different types."""
    distances = _distances(frame)
    if not distances:
        return key
    if isinstance(type_, DateType):
        return f"CAST({key} AS TIMESTAMP_NTZ)"
    if isinstance(type_, TimeType):
        return to_nanos(key, type_)
    common = _number_type(type_, frame)
    return key if common is None else to_spark_cast(key, type_, common)


def _distances(frame: WindowFrame) -> list[LogicalType]:
    return [bound.offset.output_type for bound in (frame.lower, frame.upper) if bound.offset is not None]


def _number_type(key: LogicalType, frame: WindowFrame) -> LogicalType | None:
    """Returns the type for a key that is a number and its offsets; for integers it is one that their sums and differences fit into."""
    common = find_common_type([key, *_distances(frame)]) if isinstance(key, NUMERICS) else None
    if isinstance(common, EXACT_INTEGERS):
        return DecimalType(20, 0) if isinstance(common, BigIntType) else BigIntType()
    return None if common is None else common.with_nullability(True)


def _bound(bound: WindowBound, frame: WindowFrame, node: WindowQueryOperation) -> str:
    if bound.offset is None:
        return bound.kind.value
    if frame.unit is FrameUnit.ROWS:
        return f"{min(int(bound.offset.value), _LARGEST_INT)} {_direction(bound)}"
    key = node.order_by[0].expression.output_type
    if isinstance(bound.offset.output_type, YearMonthIntervalType):
        if has_nanosecond_encoding(key):
            raise TableException(f"The planner 'spark' does not run RANGE with months over {key}.", hint="CAST the key to TIMESTAMP(6)")
        text = f"INTERVAL '{bound.offset.value}' MONTH"
        if len({type(distance) for distance in _distances(frame)}) > 1:  # Spark wants one type for both bounds
            text = f"CAST('{bound.offset.value} months' AS INTERVAL)"
    elif isinstance(bound.offset.output_type, DayTimeIntervalType) and (has_nanosecond_encoding(key) or isinstance(key, TimeType)):
        text = f"{bound.offset.value}L"
    elif len({type(distance) for distance in _distances(frame)} & set(INTERVALS)) > 1:
        text = f"CAST('{int(bound.offset.value) // 1000} microseconds' AS INTERVAL)"
    else:
        common = _number_type(key, frame)
        text = to_spark_sql(bound.offset)
        text = text if common is None else f"CAST({text} AS {to_type_sql(common)})"
    return f"{text} {_direction(bound)}"


def _direction(bound: WindowBound) -> str:
    return "PRECEDING" if bound.kind is FrameBoundKind.PRECEDING else "FOLLOWING"
