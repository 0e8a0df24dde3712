"""EXTRACT: fields of dates, times, timestamps and intervals, as BIGINT."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableException
from table_common.expressions import CallExpression, TimeUnit, ValueLiteralExpression
from table_common.types import DayTimeIntervalType, LocalZonedTimestampType, LogicalType, YearMonthIntervalType
from table_runtime.casts import to_local
from table_runtime.casts.temporal import TICKS_PER_SECOND
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.support.calendar import split_day

_SECONDS = {TimeUnit.SECOND: (1, 60), TimeUnit.MINUTE: (60, 60), TimeUnit.HOUR: (3_600, 24), TimeUnit.DAY: (86_400, None)}
_FRACTIONS = {TimeUnit.MILLISECOND: 1_000, TimeUnit.MICROSECOND: 1_000_000, TimeUnit.NANOSECOND: 1_000_000_000}
_CALENDAR = {
    TimeUnit.YEAR: pc.year,
    TimeUnit.QUARTER: pc.quarter,
    TimeUnit.MONTH: pc.month,
    TimeUnit.WEEK: pc.iso_week,
    TimeUnit.DAY: pc.day,
    TimeUnit.DOY: pc.day_of_year,
    TimeUnit.ISOYEAR: pc.iso_year,
    TimeUnit.DOW: lambda values: pc.day_of_week(values, count_from_zero=False, week_start=7),
    TimeUnit.ISODOW: lambda values: pc.day_of_week(values, count_from_zero=False, week_start=1),
}


def unit_of(call: CallExpression, position: int) -> TimeUnit:
    """Returns the time unit of a keyword argument."""
    symbol = call.args[position]
    assert isinstance(symbol, ValueLiteralExpression)
    assert isinstance(symbol.value, TimeUnit)
    return symbol.value


def extract(unit: TimeUnit, value: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns a field of each value. Weeks are ISO weeks; days of the week count from 1, Sunday for DOW, Monday for ISODOW.

    Raises:
        TableException: values of the type do not have the field.
    """
    if isinstance(source, YearMonthIntervalType):
        return _of_months(unit, pc.cast(value, pa.int64()))
    if isinstance(source, DayTimeIntervalType):
        return _of_ticks(unit, pc.cast(value, pa.int64()), TICKS_PER_SECOND[value.type.unit])
    if isinstance(source, LocalZonedTimestampType) and unit is not TimeUnit.EPOCH:
        value = to_local(value, context.time_zone)
    calendar = _CALENDAR.get(unit)
    if unit is TimeUnit.DAY and pa.types.is_time64(value.type):
        raise TableException("Values without a date have no field DAY.")
    if calendar is not None and not pa.types.is_time64(value.type):
        return pc.cast(calendar(value), pa.int64())
    if unit in (TimeUnit.DECADE, TimeUnit.CENTURY, TimeUnit.MILLENNIUM):
        years = pc.cast(pc.year(value), pa.int64())
        size = {TimeUnit.DECADE: 10, TimeUnit.CENTURY: 100, TimeUnit.MILLENNIUM: 1_000}[unit]
        return pc.divide(years if unit is TimeUnit.DECADE else pc.add(years, size - 1), pa.scalar(size, pa.int64()))
    if pa.types.is_date32(value.type):
        seconds = pc.multiply(pc.cast(pc.cast(value, pa.int32()), pa.int64()), pa.scalar(86_400, pa.int64()))
        if unit is TimeUnit.EPOCH:
            return seconds
        return pc.multiply(seconds, pa.scalar(0, pa.int64()))
    # Differs from Flink: fields of times before 1970 are those of the local time; in Flink they are negative (fn_column_b_0129, timezone_b_0035).
    per_second = TICKS_PER_SECOND[value.type.unit]
    ticks = pc.cast(value, pa.int64())
    days, of_day = split_day(ticks, value.type.unit)
    if unit is TimeUnit.EPOCH:
        seconds = pc.divide(of_day, pa.scalar(per_second, pa.int64()))
        return pc.add(pc.multiply(pc.cast(days, pa.int64()), pa.scalar(86_400, pa.int64())), seconds)
    return _of_ticks(unit, of_day, per_second)


def _of_months(unit: TimeUnit, months: Any) -> Any:
    twelve = pa.scalar(12, pa.int64())
    years = pc.divide(months, twelve)
    rest = pc.subtract(months, pc.multiply(years, twelve))
    match unit:
        case TimeUnit.YEAR:
            return years
        case TimeUnit.MONTH:
            return rest
        case TimeUnit.QUARTER:
            return pc.add(pc.divide(rest, pa.scalar(3, pa.int64())), 1)
        case TimeUnit.EPOCH:
            return pc.multiply(months, pa.scalar(30 * 86_400, pa.int64()))
        case TimeUnit.DECADE | TimeUnit.CENTURY | TimeUnit.MILLENNIUM:
            size = {TimeUnit.DECADE: 10, TimeUnit.CENTURY: 100}.get(unit, 1_000)
            return pc.divide(years, pa.scalar(size, pa.int64()))
        case _:
            raise TableException(f"An interval of months has no field {unit.value}.")


def _of_ticks(unit: TimeUnit, ticks: Any, per_second: int) -> Any:
    """Returns a field of a duration; it has the sign of the duration."""
    if unit in _FRACTIONS:
        fraction = pc.subtract(ticks, pc.multiply(pc.divide(ticks, pa.scalar(per_second, pa.int64())), pa.scalar(per_second, pa.int64())))
        units_per_second = _FRACTIONS[unit]
        if units_per_second >= per_second:
            return pc.multiply(fraction, pa.scalar(units_per_second // per_second, pa.int64()))
        return pc.divide(fraction, pa.scalar(per_second // units_per_second, pa.int64()))
    if unit is TimeUnit.EPOCH:
        return pc.divide(ticks, pa.scalar(per_second, pa.int64()))
    if unit not in _SECONDS:
        raise TableException(f"Values without a date have no field {unit.value}.")
    size, modulus = _SECONDS[unit]
    whole = pc.divide(ticks, pa.scalar(size * per_second, pa.int64()))
    if modulus is None:
        return whole
    return pc.subtract(whole, pc.multiply(pc.divide(whole, pa.scalar(modulus, pa.int64())), pa.scalar(modulus, pa.int64())))
