"""Arithmetic on numbers, and on dates and times with intervals.

Differs from Flink: integers that overflow are an error instead of wrapping around.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from table_api_bridge import MAX_NATIVE_PRECISION, has_nanosecond_encoding
from table_common.exceptions import TableException
from table_common.expressions import CallExpression, TimeUnit
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import arithmetic as fn
from table_common.types import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    INTERVALS,
    NUMERICS,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.functions.translation import Translation, as_type, literal_of
from table_planner_spark.expressions.names import bind, to_type_sql
from table_planner_spark.expressions.temporal_encoding import (
    DAY_NANOS,
    instant_to_utc,
    micros_of_interval,
    months_between,
    nanos_to_native,
    native_pair,
    native_to_nanos,
    time_of_local,
    to_nanos,
    to_native_timestamp,
    utc_to_instant,
)


def _operands(call: CallExpression, args: Sequence[str]) -> tuple[str, str]:
    """Returns both operands in types for which Spark computes as Flink does: integers and floats in the result type, decimals unchanged."""
    result = call.output_type
    left, right = (arg.output_type for arg in call.args)
    if isinstance(result, (*EXACT_INTEGERS, *APPROXIMATE_NUMERICS)):
        type_sql = to_type_sql(result)
        a, b = (
            text if type(type_) is type(result) else f"CAST({text} AS {type_sql})" for text, type_ in ((args[0], left), (args[1], right))
        )
        return a, b
    return args[0], args[1]


def _number(symbol: str, name: str) -> Translation:
    def translate(call: CallExpression, args: Sequence[str]) -> str:
        a, b = _operands(call, args)
        if isinstance(call.output_type, DecimalType):
            if call.output_type.precision < 38:  # the type has room for every result
                return f"CAST(({a} {symbol} {b}) AS {to_type_sql(call.output_type)})"
            # If the result is nullable, try_… returns NULL for more than 38 digits.
            text = f"{name}({a}, {b})" if call.output_type.nullable else f"({a} {symbol} {b})"
            return as_type(text, call.output_type)
        return f"({a} {symbol} {b})"

    return translate


def _plus(call: CallExpression, args: Sequence[str]) -> str:
    left, right = (arg.output_type for arg in call.args)
    if isinstance(left, NUMERICS):
        return _number("+", "try_add")(call, args)
    if isinstance(left, INTERVALS) and isinstance(right, INTERVALS):
        return f"({args[0]} + {args[1]})"
    if isinstance(left, INTERVALS):
        return add_to_datetime(args[1], right, args[0], left, call.output_type)
    return add_to_datetime(args[0], left, args[1], right, call.output_type)


def _minus(call: CallExpression, args: Sequence[str]) -> str:
    left, right = (arg.output_type for arg in call.args)
    if isinstance(left, NUMERICS):
        return _number("-", "try_subtract")(call, args)
    if isinstance(left, INTERVALS):
        return f"({args[0]} - {args[1]})"
    return add_to_datetime(args[0], left, f"(- {args[1]})", right, call.output_type)


def _times(call: CallExpression, args: Sequence[str]) -> str:
    if isinstance(call.output_type, INTERVALS):
        return f"({args[0]} * {args[1]})"
    return _number("*", "try_multiply")(call, args)


def _divide(call: CallExpression, args: Sequence[str]) -> str:
    a, b = _operands(call, args)
    result = call.output_type
    if isinstance(result, EXACT_INTEGERS):
        return as_type(f"({a} div {b})", result)
    divisor = literal_of(call, 1)
    if isinstance(result, APPROXIMATE_NUMERICS):
        # Spark refuses to divide by 0.0; the result is that of IEEE 754.
        type_sql = to_type_sql(result)
        if isinstance(divisor, (int, float, Decimal)) and divisor:
            return f"({a} / {b})"
        one, infinity = f"CAST(1 AS {type_sql})", f"CAST('Infinity' AS {type_sql})"
        return bind(b, lambda y: f"(({a} * if({y} = 0, {infinity}, {one})) / if({y} = 0, {one}, {y}))")
    if isinstance(result, DecimalType) and result.precision == 38 and result.nullable:  # beyond 38 digits NULL, by zero an error
        if isinstance(divisor, (int, float, Decimal)) and divisor:
            return as_type(f"try_divide({a}, {b})", result)
        return as_type(bind(b, lambda y: f"if({y} = 0, {a} / {y}, try_divide({a}, {y}))"), result)
    return as_type(f"({a} / {b})", result)


def _mod(call: CallExpression, args: Sequence[str]) -> str:
    return as_type(f"({args[0]} % {args[1]})", call.output_type)


def add_to_datetime(text: str, type_: LogicalType, interval: str, interval_type: LogicalType, result: LogicalType) -> str:
    """Returns a date, time or timestamp plus an interval; a time of day wraps around at midnight."""
    match type_:
        case TimeType() if isinstance(interval_type, YearMonthIntervalType):
            return text
        case TimeType() if has_nanosecond_encoding(type_) or has_nanosecond_encoding(result):
            moved = f"pmod({to_nanos(text, type_)} + {micros_of_interval(interval)} * 1000L, {DAY_NANOS})"
            return moved if has_nanosecond_encoding(result) else f"CAST({nanos_to_native(moved, TimeType(9))} AS {to_type_sql(result)})"
        case TimeType():
            moved = f"(CAST(DATE'2000-01-01' AS TIMESTAMP_NTZ) + ({text} - TIME'00:00:00') + {interval})"
            assert isinstance(result, TimeType)
            return time_of_local(moved, result.precision)
        case DateType() if isinstance(result, DateType):
            if isinstance(interval_type, YearMonthIntervalType):
                return f"({text} + {interval})"
            return f"CAST(CAST({text} AS TIMESTAMP_NTZ) + {interval} AS DATE)"
        case DateType():
            moved = f"(CAST({text} AS TIMESTAMP_NTZ) + {interval})"
            return native_to_nanos(moved, result) if has_nanosecond_encoding(result) else moved
        case _ if has_nanosecond_encoding(type_):
            if isinstance(interval_type, DayTimeIntervalType):
                return f"({text} + {micros_of_interval(interval)} * 1000L)"
            if isinstance(type_, LocalZonedTimestampType):
                instant = LocalZonedTimestampType(6)
                return bind(
                    text,
                    lambda x: (
                        f"({native_to_nanos(add_to_datetime(nanos_to_native(x, type_), instant, interval, interval_type, instant), type_)} "
                        f"+ pmod({x}, 1000L))"
                    ),
                )
            return bind(text, lambda x: f"({native_to_nanos(f'({nanos_to_native(x, type_)} + {interval})', type_)} + pmod({x}, 1000L))")
        case LocalZonedTimestampType() if isinstance(interval_type, DayTimeIntervalType):
            moved = f"timestamp_micros(unix_micros({text}) + {micros_of_interval(interval)})"
            return native_to_nanos(moved, result) if has_nanosecond_encoding(result) else moved
        case LocalZonedTimestampType():
            moved = utc_to_instant(f"({instant_to_utc(text)} + {interval})")
            return native_to_nanos(moved, result) if has_nanosecond_encoding(result) else moved
        case _:
            moved = f"({text} + {interval})"
            return native_to_nanos(moved, result) if has_nanosecond_encoding(result) else moved


def _negate(call: CallExpression, args: Sequence[str]) -> str:
    return negated(args[0], call.output_type)


def negated(text: str, type_: LogicalType) -> str:
    """Returns the negated number with all of its digits; Spark's own negation rounds to 34 digits."""
    if not isinstance(type_, DecimalType):
        return f"(- {text})"
    if type_.precision < 38:
        return as_type(f"(CAST(0 AS {to_type_sql(type_)}) - {text})", type_)
    # A difference would have 39 digits, and Spark drops the last one.
    return bind(text, lambda x: as_type(f"if({x} < 0, substring(CAST({x} AS STRING), 2), concat('-', CAST({x} AS STRING)))", type_))


_UNITS = {
    TimeUnit.WEEK: 7 * 86_400_000_000,
    TimeUnit.DAY: 86_400_000_000,
    TimeUnit.HOUR: 3_600_000_000,
    TimeUnit.MINUTE: 60_000_000,
    TimeUnit.SECOND: 1_000_000,
    TimeUnit.MILLISECOND: 1_000,
    TimeUnit.MICROSECOND: 1,
}


def difference(unit: TimeUnit, earlier: str, later: str) -> str:
    """Returns how many whole units lie between two native timestamps, as BIGINT.

    Raises:
        TableException: the unit has no fixed number of microseconds.
    """
    if unit not in _UNITS:
        raise TableException(f"The planner 'spark' cannot count time in the unit {unit.value}.")
    return f"({micros_of_interval(f'({later} - {earlier})')} div {_UNITS[unit]}L)"


def native(text: str, type_: LogicalType) -> str:
    """Returns a point in time as TIMESTAMP_NTZ; a TIMESTAMP_LTZ stays an instant."""
    match type_:
        case DateType():
            return f"CAST({text} AS TIMESTAMP_NTZ)"
        case TimeType() if has_nanosecond_encoding(type_):
            return nanos_to_native(text, TimestampType(9))
        case TimeType():
            return f"make_timestamp_ntz(DATE'1970-01-01', {text})"
        case TimestampType() | LocalZonedTimestampType():
            return to_native_timestamp(text, type_)
        case _:
            return text


def native_in_utc(text: str, type_: LogicalType) -> str:
    """Returns a point in time as TIMESTAMP_NTZ; an instant becomes its local time in UTC."""
    point = native(text, type_)
    return instant_to_utc(point) if isinstance(type_, LocalZonedTimestampType) else point


def apart(earlier: str, earlier_type: LogicalType, later: str, later_type: LogicalType) -> tuple[str, str]:
    """Returns two points in time as TIMESTAMP_NTZ whose difference is the exact difference in nanoseconds, truncated to microseconds."""
    a, b = _as_nanos([earlier, later], [earlier_type, later_type])[0]
    # The nanoseconds of an instant are those of its local time in UTC.
    return native_pair((nanos_to_native(a, TimestampType(9)), a), (nanos_to_native(b, TimestampType(9)), b))


def _as_nanos(texts: Sequence[str], types: Sequence[LogicalType]) -> tuple[list[str], LogicalType]:
    """Returns points in time as BIGINT nanoseconds of one type, TIME on 1970-01-01."""
    common = LocalZonedTimestampType(9) if all(isinstance(type_, LocalZonedTimestampType) for type_ in types) else TimestampType(9)
    return [to_spark_cast(text, type_, common) for text, type_ in zip(texts, types, strict=True)], common


def _minus_datetime(call: CallExpression, args: Sequence[str]) -> str:
    unit = literal_of(call, 2)
    assert isinstance(unit, TimeUnit)
    types = [arg.output_type for arg in call.args[:2]]
    if any(map(has_nanosecond_encoding, types)):
        earlier, later = apart(args[1], types[1], args[0], types[0])
    else:
        later, earlier = (native_in_utc(text, type_) for text, type_ in zip(args[:2], types, strict=True))
    if isinstance(call.output_type, YearMonthIntervalType):
        return f"make_ym_interval(0, CAST({months_between(earlier, later)} AS INT))"
    assert isinstance(call.output_type, DayTimeIntervalType)
    digits = call.output_type.fractional_precision
    if digits >= MAX_NATIVE_PRECISION:
        return f"({later} - {earlier})"
    size = 10 ** (MAX_NATIVE_PRECISION - digits)
    return f"({micros_of_interval(f'({later} - {earlier})')} div {size}L * {size}L * INTERVAL '0.000001' SECOND)"


def _overlaps(call: CallExpression, args: Sequence[str]) -> str:
    types = [arg.output_type for arg in call.args]
    moments = [position for position, type_ in enumerate(types) if not isinstance(type_, INTERVALS)]
    if any(has_nanosecond_encoding(types[position]) for position in moments):
        nanos, common = _as_nanos([args[position] for position in moments], [types[position] for position in moments])
        named = dict(zip(moments, nanos, strict=True))
        ends = [named.get(i) or add_to_datetime(named[i - 1], common, args[i], types[i], common) for i in range(4)]
        return _meet(ends)
    points: list[str] = []
    for start in (0, 2):
        begin = native_in_utc(args[start], types[start])
        end = (
            f"({begin} + {args[start + 1]})"
            if isinstance(types[start + 1], INTERVALS)
            else native_in_utc(args[start + 1], types[start + 1])
        )
        points += [begin, end]
    return _meet(points)


def _meet(ends: Sequence[str]) -> str:
    """Returns whether the period of the first two ends meets that of the others; as in Flink, the ends are in order only if neither is NULL."""

    def in_order(first: str, second: str) -> tuple[str, str]:
        return f"if({first} <= {second}, {first}, {second})", f"if({first} <= {second}, {second}, {first})"

    (a, b), (c, d) = in_order(*ends[:2]), in_order(*ends[2:])
    return f"({b} >= {c} AND {d} >= {a})"


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.PLUS: _plus,
    fn.MINUS: _minus,
    fn.TIMES: _times,
    fn.DIVIDE: _divide,
    fn.MOD: _mod,
    fn.NEGATE: _negate,
    fn.MINUS_DATETIME: _minus_datetime,
    fn.OVERLAPS: _overlaps,
}
