"""FLOOR and CEIL of dates, times and timestamps to a unit. Weeks begin on Sunday."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableException
from table_common.expressions import CallExpression, TimeUnit, ValueLiteralExpression
from table_runtime.casts import from_local, map_distinct, to_local
from table_runtime.evaluation_context import EvaluationContext

__all__ = ["ceil_temporal", "floor_temporal"]

_EPOCH_DAY = date(1970, 1, 1).toordinal()
_YEARS = {TimeUnit.DECADE: 10, TimeUnit.CENTURY: 100, TimeUnit.MILLENNIUM: 1000}
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
    return _round(args, call, context, pc.floor_temporal, _floor_year)


def ceil_temporal(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    """Returns the value if it is the beginning of a unit, else the beginning of the next."""
    return _round(args, call, context, pc.ceil_temporal, _ceil_year)


def _round(
    args: Sequence[Any],
    call: CallExpression,
    context: EvaluationContext,
    arrow: Callable[..., Any],
    to_year: Callable[[int, int], int],
) -> Any:
    unit = _unit(call)
    value = pa.repeat(args[0], 1) if isinstance(args[0], pa.Scalar) else args[0]
    source = value.type
    is_instant = pa.types.is_timestamp(source) and source.tz is not None
    local = to_local(value, context.time_zone) if is_instant else value
    if unit in _YEARS:
        size = _YEARS[unit]
        starts_at_one = unit is not TimeUnit.DECADE
        rounded = _by_years(local, lambda year, is_exact: _boundary(year, is_exact, size, starts_at_one, to_year))
    elif pa.types.is_time64(source):
        # Arrow rounds no times of day: they are timestamps of the first day.
        moments = pc.cast(pc.cast(local, pa.int64()), pa.timestamp(source.unit))
        ticks = pc.cast(arrow(moments, unit=_ARROW_UNITS[unit]), pa.int64())
        day = {"us": 86_400_000_000, "ns": 86_400_000_000_000}[source.unit]
        rounded = pc.if_else(pc.equal(ticks, day), pa.scalar(0, pa.int64()), ticks)
    elif pa.types.is_date32(source) and unit in (TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND, TimeUnit.MILLISECOND):
        rounded = local
    else:
        rounded = arrow(local, unit=_ARROW_UNITS[unit], week_starts_monday=False)
    result = from_local(rounded, context.time_zone) if is_instant else pc.cast(rounded, source)
    return result[0] if isinstance(args[0], pa.Scalar) else result


def _unit(call: CallExpression) -> TimeUnit:
    symbol = call.args[1]
    if not isinstance(symbol, ValueLiteralExpression) or symbol.value not in (*_YEARS, *_ARROW_UNITS):
        raise TableException(f"{call.function.name} cannot round to {symbol}.")
    unit: TimeUnit = symbol.value
    return unit


def _by_years(local: Any, boundary: Callable[[int, bool], int]) -> Any:
    """Rounds to the first day of a year that ``boundary`` gives for a year and whether the value is its very first moment."""
    is_start = pc.equal(pc.floor_temporal(local, unit="year"), local)
    days = pc.cast(local, pa.timestamp("s"), safe=False) if not pa.types.is_date32(local.type) else local
    years = pc.year(days)
    at_start = map_distinct(years, lambda year: boundary(year, True), pa.int32())
    inside = map_distinct(years, lambda year: boundary(year, False), pa.int32())
    return pc.cast(pc.cast(pc.if_else(is_start, at_start, inside), pa.date32()), local.type)


def _boundary(year: int, is_exact: bool, size: int, starts_at_one: bool, to_year: Callable[[int, int], int]) -> int:
    shift = 1 if starts_at_one else 0
    first = (year - shift) // size * size + shift
    chosen = first if is_exact and first == year else to_year(first, size)
    return date(max(chosen, 1), 1, 1).toordinal() - _EPOCH_DAY


def _floor_year(first: int, size: int) -> int:
    return first


def _ceil_year(first: int, size: int) -> int:
    return first + size
