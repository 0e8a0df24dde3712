"""FLOOR and CEIL of dates and times to a unit."""

from __future__ import annotations

from table_api_bridge import has_nanosecond_encoding
from table_common.exceptions import TableException
from table_common.expressions import TimeUnit
from table_common.types import DateType, LocalZonedTimestampType, LogicalType, TimestampType, TimeType
from table_planner_spark.expressions.names import bind, to_type_sql
from table_planner_spark.expressions.temporal_encoding import DAY_NANOS, micros_of_local, nanos_to_native, native_to_nanos

_MICROS = {
    TimeUnit.MILLISECOND: 1_000,
    TimeUnit.SECOND: 1_000_000,
    TimeUnit.MINUTE: 60_000_000,
    TimeUnit.HOUR: 3_600_000_000,
    TimeUnit.DAY: 86_400_000_000,
}
_MONTHS = {
    TimeUnit.MONTH: 1,
    TimeUnit.QUARTER: 3,
    TimeUnit.YEAR: 12,
    TimeUnit.DECADE: 120,
    TimeUnit.CENTURY: 1_200,
    TimeUnit.MILLENNIUM: 12_000,
}


def round_datetime(name: str, text: str, type_: LogicalType, result: LogicalType, unit: TimeUnit) -> str:
    """Returns the value rounded down (``floor``) or up (``ceil``); weeks begin on Sunday, centuries with their year 1."""
    is_ceil = name == "ceil"
    if isinstance(type_, TimeType):
        if has_nanosecond_encoding(type_):
            local = nanos_to_native(_whole_micros(text) if is_ceil else text, TimestampType(9))
        else:
            local = f"make_timestamp_ntz(DATE'1970-01-01', {text})"
        rounded = bind(local, lambda x: _round(x, unit, is_ceil))
        if has_nanosecond_encoding(result):
            return f"pmod({native_to_nanos(rounded, TimestampType(9))}, {DAY_NANOS})"
        return f"CAST({rounded} AS {to_type_sql(result)})"
    if isinstance(type_, DateType):
        if unit in _MICROS:
            # Differs from Flink: CEIL of a date to a unit up to DAY returns the date itself; Flink returns the next day.
            return text
        return f"CAST({bind(f'CAST({text} AS TIMESTAMP_NTZ)', lambda x: _round(x, unit, is_ceil))} AS DATE)"
    native = text
    if has_nanosecond_encoding(type_):
        native = nanos_to_native(_whole_micros(text) if is_ceil else text, type_)
    if isinstance(type_, LocalZonedTimestampType):
        native = bind(native, lambda x: _round_instant(x, unit, is_ceil))
    else:
        native = bind(native, lambda x: _round(x, unit, is_ceil))
    return native_to_nanos(native, result) if has_nanosecond_encoding(result) else native


def _whole_micros(nanos: str) -> str:
    """Returns nanoseconds whose truncation to microseconds is the given value rounded up, as CEIL needs it."""
    return f"({nanos} + 999L)"


def _round(x: str, unit: TimeUnit, is_ceil: bool) -> str:
    floor = _floor(x, unit)
    if not is_ceil:
        return floor
    return bind(floor, lambda down: f"if({down} = {x}, {x}, {down} + {_step(unit)})")


def _round_instant(x: str, unit: TimeUnit, is_ceil: bool) -> str:
    """Rounds an instant in local time. Units below a day use the value's own UTC offset, also in an hour that clocks show twice."""
    local = f"CAST({x} AS TIMESTAMP_NTZ)"
    if unit in _MICROS and unit is not TimeUnit.DAY:
        micros = micros_of_local(local)
        change = f"+ pmod(-{micros}, {_MICROS[unit]}L)" if is_ceil else f"- pmod({micros}, {_MICROS[unit]}L)"
        return f"timestamp_micros(unix_micros({x}) {change})"
    down = _floor(local, unit)
    if not is_ceil:
        return f"CAST({down} AS TIMESTAMP_LTZ)"
    return bind(down, lambda start: f"if(CAST({start} AS TIMESTAMP_LTZ) = {x}, {x}, CAST({start} + {_step(unit)} AS TIMESTAMP_LTZ))")


def _step(unit: TimeUnit) -> str:
    if unit in _MONTHS:
        return f"make_ym_interval(0, {_MONTHS[unit]})"
    if unit is TimeUnit.WEEK:
        return "INTERVAL '7' DAY"
    return f"{_MICROS[unit]} * INTERVAL '0.000001' SECOND"


def _floor(x: str, unit: TimeUnit) -> str:
    if unit in _MICROS:
        return f"({x} - pmod({micros_of_local(x)}, {_MICROS[unit]}L) * INTERVAL '0.000001' SECOND)"
    day = f"CAST({x} AS DATE)"
    match unit:
        case TimeUnit.WEEK:
            date = f"date_sub({day}, dayofweek({day}) - 1)"
        case TimeUnit.MONTH | TimeUnit.QUARTER | TimeUnit.YEAR:
            date = f"trunc({day}, '{unit.name}')"
        case TimeUnit.DECADE:
            date = f"make_date(year({day}) - pmod(year({day}), 10), 1, 1)"
        case TimeUnit.CENTURY | TimeUnit.MILLENNIUM:
            size = _MONTHS[unit] // 12
            date = f"make_date(year({day}) - pmod(year({day}) - 1, {size}), 1, 1)"
        case _:
            raise TableException(f"The planner 'spark' cannot round to the unit {unit.value}.")
    return f"CAST({date} AS TIMESTAMP_NTZ)"
