"""Casts between DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ and the intervals."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.types import LogicalType, PrecisionTimeType
from table_runtime.casts.zone import from_local, to_local
from table_runtime.evaluation_context import EvaluationContext

TICKS_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_UNIT_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def floor_ticks(ticks: Any, size: int) -> Any:
    """Returns int64 values rounded down (also below zero) to a multiple of ``size``."""
    if size == 1:
        return ticks
    step = pa.scalar(size, pa.int64())
    quotient = pc.divide(ticks, step)
    rest = pc.subtract(ticks, pc.multiply(quotient, step))
    quotient = pc.if_else(pc.less(rest, 0), pc.subtract(quotient, pa.scalar(1, pa.int64())), quotient)
    return pc.multiply(quotient, step)


def change_precision(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Truncates fractional seconds to the target's precision."""
    assert isinstance(target, PrecisionTimeType)
    arrow_type = to_arrow_type(target)
    if isinstance(source, PrecisionTimeType) and source.precision <= target.precision:
        return pc.cast(values, arrow_type)
    unit_digits = _UNIT_DIGITS[values.type.unit]
    if target.precision < unit_digits:
        ticks = floor_ticks(pc.cast(values, pa.int64()), 10 ** (unit_digits - target.precision))
        values = pc.cast(ticks, values.type)
    return pc.cast(values, arrow_type)


def date_to_timestamp(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns midnight of the day."""
    return pc.cast(pc.cast(values, pa.timestamp("s")), to_arrow_type(target))


def date_to_ltz(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns midnight of the day in the session's time zone."""
    return from_local(pc.cast(pc.cast(values, pa.timestamp("s")), pa.timestamp(to_arrow_type(target).unit)), context.time_zone)


def time_to_timestamp(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the time on 1970-01-01."""
    unit = values.type.unit
    return change_precision(pc.cast(pc.cast(values, pa.int64()), pa.timestamp(unit)), source, target, context)


def time_to_ltz(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the time on 1970-01-01 in the session's time zone."""
    return change_precision(
        from_local(pc.cast(pc.cast(values, pa.int64()), pa.timestamp(values.type.unit)), context.time_zone), source, target, context
    )


def timestamp_to_date(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the date."""
    # Differs from Flink: the last second before 1970 is in 1969; in Flink it is in 1970 (fn_column_b_0144).
    return pc.cast(pc.floor_temporal(values, unit="day"), pa.date32())


def timestamp_to_time(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the time of day, truncated to the target's precision."""
    unit = values.type.unit
    ticks = pc.cast(values, pa.int64())
    of_day = pc.subtract(ticks, floor_ticks(ticks, 86_400 * TICKS_PER_SECOND[unit]))
    return change_precision(pc.cast(of_day, pa.time64(unit)), source, target, context)


def timestamp_to_ltz(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the instant of a local time in the session's time zone."""
    return change_precision(from_local(values, context.time_zone), source, target, context)


def ltz_to_timestamp(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the local time of the instant in the session's time zone."""
    return change_precision(to_local(values, context.time_zone), source, target, context)


def ltz_to_date(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the date of the instant in the session's time zone."""
    return timestamp_to_date(to_local(values, context.time_zone), source, target, context)


def ltz_to_time(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the time of day of the instant in the session's time zone."""
    return timestamp_to_time(to_local(values, context.time_zone), source, target, context)


def day_time_to_day_time(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the same duration, truncated to the target's precision."""
    return pc.cast(values, to_arrow_type(target), safe=False)


def integer_to_day_time(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns an interval of that many milliseconds."""
    return pc.cast(pc.cast(pc.cast(values, pa.int64()), pa.duration("ms")), to_arrow_type(target))


def day_time_to_integer(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Returns the number of milliseconds."""
    return pc.cast(pc.cast(pc.cast(values, pa.duration("ms"), safe=False), pa.int64()), to_arrow_type(target))
