"""Arithmetic of intervals with dates, times and timestamps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.expressions import CallExpression
from table_common.types import (
    INTERVALS,
    DateType,
    DayTimeIntervalType,
    LogicalType,
    TimeType,
    YearMonthIntervalType,
)
from table_runtime.casts import cast
from table_runtime.casts.temporal import TICKS_PER_SECOND
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.comparison import compare
from table_runtime.kernels.kernel import to_array
from table_runtime.kernels.support.calendar import DAY_TICKS, add_months, days_of, months_between, split_day


def plus(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    """Returns point in time + interval, in either order, or interval + interval."""
    left, right = call.args
    if isinstance(left.output_type, INTERVALS) and not isinstance(right.output_type, INTERVALS):
        return move(args[1], right.output_type, args[0], left.output_type, call.output_type, context, num_rows)
    if isinstance(left.output_type, INTERVALS):
        return _intervals(pc.add_checked, args, call)
    return move(args[0], left.output_type, args[1], right.output_type, call.output_type, context, num_rows)


def minus(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    """Returns point in time - interval, or interval - interval."""
    left, right = call.args
    if isinstance(left.output_type, INTERVALS):
        return _intervals(pc.subtract_checked, args, call)
    negative = pc.cast(pc.negate(_number(args[1])), args[1].type)
    return move(args[0], left.output_type, negative, right.output_type, call.output_type, context, num_rows)


def times(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    """Returns interval * number; fractions of the smallest unit are truncated."""
    interval, factor = args if isinstance(call.args[0].output_type, INTERVALS) else (args[1], args[0])
    result_type = to_arrow_type(call.output_type)
    ticks = _number(interval)
    if pa.types.is_integer(factor.type):
        product = pc.multiply_checked(pc.cast(ticks, pa.int64()), pc.cast(factor, pa.int64()))
    else:
        product = pc.cast(pc.trunc(pc.multiply(pc.cast(ticks, pa.float64()), pc.cast(factor, pa.float64()))), pa.int64())
    return pc.cast(product, pa.int32()) if pa.types.is_int32(interval.type) else pc.cast(pc.cast(product, interval.type), result_type)


def _number(interval: Any) -> Any:
    return interval if pa.types.is_int32(interval.type) else pc.cast(interval, pa.int64())


def _intervals(function: Callable[[Any, Any], Any], args: Sequence[Any], call: CallExpression) -> Any:
    arrow_type = to_arrow_type(call.output_type)
    left, right = (pc.cast(value, arrow_type, safe=False) for value in args)
    return pc.cast(function(_number(left), _number(right)), arrow_type)


def move(
    point: Any,
    point_type: LogicalType,
    interval: Any,
    interval_type: LogicalType,
    result_type: LogicalType,
    context: EvaluationContext,
    num_rows: int,
) -> Any:
    """Returns the point in time plus the interval. A TIME wraps around at midnight."""
    arrow_type = to_arrow_type(result_type)
    if isinstance(interval_type, YearMonthIntervalType):
        if isinstance(point_type, TimeType):
            return pc.cast(point, arrow_type)
        days, ticks = days_of(point)
        moved = add_months(days, interval, num_rows)
        if isinstance(point_type, DateType) and isinstance(result_type, DateType):
            return pc.cast(moved, pa.date32())
        unit = arrow_type.unit if isinstance(point_type, DateType) else point.type.unit
        total_ticks = pc.add(pc.multiply(pc.cast(moved, pa.int64()), pa.scalar(DAY_TICKS[unit], pa.int64())), ticks)
        return pc.cast(pc.cast(total_ticks, pa.timestamp(unit)), arrow_type)
    if isinstance(point_type, DateType) and isinstance(result_type, DateType):
        whole_days, _ = split_day(pc.cast(interval, pa.int64()), interval.type.unit)
        return pc.cast(pc.add_checked(pc.cast(point, pa.int32()), whole_days), pa.date32())
    if not point.type.equals(arrow_type):
        point = cast(point, point_type, result_type, context)
    unit = arrow_type.unit
    shift = _in_unit(interval, unit)
    moved = pc.add_checked(pc.cast(point, pa.int64()), shift)
    if isinstance(result_type, TimeType):
        _, moved = split_day(moved, unit)
    return pc.cast(moved, arrow_type)


def _in_unit(interval: Any, unit: str) -> Any:
    """Returns the ticks of an interval: truncated to a coarser unit, and checked in a finer one, where a cast would wrap around."""
    finer = TICKS_PER_SECOND[unit] // TICKS_PER_SECOND[interval.type.unit]
    if finer > 1:
        return pc.multiply_checked(pc.cast(interval, pa.int64()), pa.scalar(finer, pa.int64()))
    return pc.cast(pc.cast(interval, pa.duration(unit), safe=False), pa.int64())


def difference(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    """Returns ``(later - earlier) unit``: whole months or the exact duration, depending on the result type."""
    later, earlier = args[0], args[1]
    later, earlier = _aligned(later, call.args[0].output_type, earlier, call.args[1].output_type, context)
    if isinstance(call.output_type, DayTimeIntervalType):
        arrow_type = to_arrow_type(call.output_type)
        unit = later.type.unit
        return pc.cast(
            pc.cast(pc.subtract_checked(pc.cast(later, pa.int64()), pc.cast(earlier, pa.int64())), pa.duration(unit)),
            arrow_type,
            safe=False,
        )
    return whole_months(later, earlier, num_rows)


def _aligned(left: Any, left_type: LogicalType, right: Any, right_type: LogicalType, context: EvaluationContext) -> tuple[Any, Any]:
    """Returns both values as timestamps (or times) of one unit."""
    values = []
    for value in (left, right):
        if pa.types.is_date32(value.type):
            value = pc.cast(pc.cast(value, pa.timestamp("s")), pa.timestamp("us"))
        values.append(value)
    units = [value.type.unit for value in values]
    unit = max(units, key=lambda name: TICKS_PER_SECOND[name])
    return tuple(value if value.type.unit == unit else _to_unit(value, unit) for value in values)


def _to_unit(value: Any, unit: str) -> Any:
    if pa.types.is_time64(value.type):
        return pc.cast(value, pa.time64(unit))
    return pc.cast(value, pa.timestamp(unit, value.type.tz))


def whole_months(later: Any, earlier: Any, num_rows: int) -> Any:
    """Returns the number of whole months between timestamps, int32."""
    is_constant = isinstance(later, pa.Scalar) and isinstance(earlier, pa.Scalar)
    count = 1 if is_constant else num_rows
    columns = [to_array(part, count).to_pylist() for value in (later, earlier) for part in days_of(value)]
    rows = [
        None if None in (day1, day0) else months_between((day1, ticks1), (day0, ticks0))
        for day1, ticks1, day0, ticks0 in zip(*columns, strict=True)
    ]
    array = pa.array(rows, pa.int32())
    return array[0] if is_constant else array


def overlaps(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    """Returns whether two periods overlap. The end may be an interval, and may be before the start; beside a NULL it counts as being so."""
    bounds = []
    for start in (0, 2):
        first, second = args[start], args[start + 1]
        first_type, second_type = call.args[start].output_type, call.args[start + 1].output_type
        if isinstance(second_type, INTERVALS):
            second = move(first, first_type, second, second_type, first_type, context, num_rows)
        in_order = compare(pc.less_equal, first, second)
        if isinstance(in_order, pa.Scalar):
            low, high = (first, second) if in_order.as_py() else (second, first)
        else:
            in_order = pc.fill_null(in_order, False)
            low, high = pc.if_else(in_order, first, second), pc.if_else(in_order, second, first)
        bounds.append((low, high))
    (low0, high0), (low1, high1) = bounds
    return pc.and_kleene(compare(pc.greater_equal, high0, low1), compare(pc.greater_equal, high1, low0))
