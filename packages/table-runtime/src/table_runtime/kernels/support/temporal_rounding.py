"""FLOOR and CEIL of dates, times and timestamps to a unit. Weeks begin on Sunday."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableException
from table_common.expressions import CallExpression, TimeUnit, ValueLiteralExpression
from table_runtime.casts import from_local, map_distinct, to_local
from table_runtime.evaluation_context import EvaluationContext

_EPOCH_DAY = 719_162  # days from 0001-01-01 to 1970-01-01
_YEARS = {TimeUnit.DECADE: 10, TimeUnit.CENTURY: 100, TimeUnit.MILLENNIUM: 1000}
_WITHIN_A_DAY = {TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND, TimeUnit.MILLISECOND}
_ARROW_UNITS = {
    TimeUnit.YEAR: "year",
    TimeUnit.QUARTER: "quarter",
    TimeUnit.MONTH: "month",
    TimeUnit.WEEK: "week",
    TimeUnit.DAY: "day",
    TimeUnit.HOUR: "hour",
    TimeUnit.MINUTE: "minute",
    TimeUnit.SECOND: "second",
    TimeUnit.MILLISECOND: "millisecond",
}


def floor_temporal(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    """Returns the beginning of the unit."""
    return _round(args, call, context, is_ceil=False)


def ceil_temporal(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    """Returns the value if it is the beginning of a unit, else the beginning of the next unit."""
    # Differs from Flink: CEIL returns the first boundary that is not before the value. Flink rounds 12:00 on the first of a month down (TO MONTH,
    # QUARTER, YEAR), rounds the beginning of a decade, century or millennium up to the next one, and ignores fractions of a millisecond.
    return _round(args, call, context, is_ceil=True)


def _round(args: Sequence[Any], call: CallExpression, context: EvaluationContext, is_ceil: bool) -> Any:
    unit = _unit(call)
    value = pa.repeat(args[0], 1) if isinstance(args[0], pa.Scalar) else args[0]
    source = value.type
    if pa.types.is_time64(source):
        rounded = _time_of_day(value, unit, is_ceil)
    elif pa.types.is_date32(source) and unit in _WITHIN_A_DAY:
        rounded = value
    elif pa.types.is_timestamp(source) and source.tz is not None:
        rounded = _instant(value, unit, context.time_zone, is_ceil)
    else:
        rounded = _ceil(value, unit) if is_ceil else _floor(value, unit)
    return rounded[0] if isinstance(args[0], pa.Scalar) else rounded


def _unit(call: CallExpression) -> TimeUnit:
    symbol = call.args[1]
    if not isinstance(symbol, ValueLiteralExpression) or symbol.value not in (*_YEARS, *_ARROW_UNITS):
        raise TableException(f"{call.function.name} cannot round to {symbol}.")
    unit: TimeUnit = symbol.value
    return unit


def _floor(local: Any, unit: TimeUnit) -> Any:
    if unit in _YEARS:
        return _first_day(local, unit, 0)
    below = pc.cast(pc.floor_temporal(local, unit=_ARROW_UNITS[unit], week_starts_monday=False), local.type)
    _check_range(below, local)
    return below


def _next(local: Any, unit: TimeUnit) -> Any:
    """Returns the first boundary after the value."""
    if unit in _YEARS:
        return _first_day(local, unit, _YEARS[unit])
    above = pc.ceil_temporal(local, unit=_ARROW_UNITS[unit], week_starts_monday=False, ceil_is_strictly_greater=True)
    above = pc.cast(above, local.type)
    _check_range(local, above)
    return above


def _ceil(local: Any, unit: TimeUnit) -> Any:
    # Arrow's ceil_temporal is not used, because it rounds the first day of a month, quarter or year up to the next one.
    return _unless(pc.equal(_floor(local, unit), local), local, lambda inside: _next(inside, unit), local)


def _unless(is_start: Any, value: Any, above: Callable[[Any], Any], local: Any) -> Any:
    """Returns the values where ``is_start``, else ``above`` of the local times; ``above`` is not evaluated where ``is_start``."""
    return pc.if_else(is_start, value, above(pc.if_else(is_start, pa.scalar(None, local.type), local)))


def _instant(value: Any, unit: TimeUnit, zone: str, is_ceil: bool) -> Any:
    """Rounds in local time of the zone. Units below a day keep the UTC offset of the value, also for ambiguous local times."""
    local = to_local(value, zone)
    if unit in _WITHIN_A_DAY:
        rounded = _ceil(local, unit) if is_ceil else _floor(local, unit)
        return pc.add(value, pc.subtract(rounded, local))
    down = from_local(_floor(local, unit), zone)
    if not is_ceil:
        return down
    return _unless(pc.equal(down, value), value, lambda inside: from_local(_next(inside, unit), zone), local)


def _time_of_day(value: Any, unit: TimeUnit, is_ceil: bool) -> Any:
    """Rounds times as timestamps of 1970-01-01, because Arrow does not round times."""
    moments = pc.cast(pc.cast(value, pa.int64()), pa.timestamp(value.type.unit))
    ticks = pc.cast(_ceil(moments, unit) if is_ceil else _floor(moments, unit), pa.int64())
    day = {"us": 86_400_000_000, "ns": 86_400_000_000_000}[value.type.unit]
    return pc.cast(pc.if_else(pc.equal(ticks, day), pa.scalar(0, pa.int64()), ticks), value.type)


def _first_day(local: Any, unit: TimeUnit, later: int) -> Any:
    """Returns the first day of the value's decade, century or millennium, plus ``later`` years."""
    size = _YEARS[unit]
    shift = 0 if unit is TimeUnit.DECADE else 1
    starts = map_distinct(pc.year(local), lambda year: _day_of_year((year - shift) // size * size + shift + later), pa.int32())
    return pc.cast(pc.cast(starts, pa.date32()), local.type)


def _day_of_year(year: int) -> int:
    """Returns the epoch day of the first day of a year, also for years outside of the range of ``date``."""
    before = year - 1
    return 365 * before + before // 4 - before // 100 + before // 400 - _EPOCH_DAY


def _check_range(lower: Any, upper: Any) -> None:
    """Raises OverflowError if a boundary is outside of the range of nanoseconds, where Arrow's rounding wraps around."""
    if pa.types.is_timestamp(lower.type) and lower.type.unit == "ns" and pc.any(pc.greater(lower, upper)).as_py():
        raise OverflowError("overflow of timestamp[ns]")
