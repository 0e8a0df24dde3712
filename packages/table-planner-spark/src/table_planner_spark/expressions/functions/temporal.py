"""Functions of dates, times and timestamps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from table_api_bridge import has_nanosecond_encoding
from table_common.exceptions import TableException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, TimeUnit, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import temporal as fn
from table_common.types import (
    EXACT_INTEGERS,
    CharacterType,
    DateType,
    DayTimeIntervalType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.functions.arithmetic import add_to_datetime, apart, difference, native, native_in_utc
from table_planner_spark.expressions.functions.translation import Translation, literal_of, sql
from table_planner_spark.expressions.names import bind, quote_text
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.expressions.temporal_encoding import (
    micros_of_interval,
    micros_of_local,
    months_between,
    native_to_nanos,
    time_of_local,
    truncate_native,
    utc_to_instant,
)
from table_planner_spark.expressions.text_parse import parse_date, parse_timestamp
from table_planner_spark.expressions.worker_kernels import evaluate_in_worker, through_kernel

_STANDARD_FORMAT = quote_text("yyyy-MM-dd HH:mm:ss")
_TEXT_TIMESTAMP = TimestampType(6)


def _in_precision(text: str, type_: LogicalType) -> str:
    """Returns a native timestamp in the precision and encoding of the type."""
    assert isinstance(type_, (TimestampType, LocalZonedTimestampType))
    return native_to_nanos(text, type_) if has_nanosecond_encoding(type_) else truncate_native(text, type_)


def _clock(text: str) -> Translation:
    return lambda call, args: _in_precision(text, call.output_type)


def _local(text: str, type_: LogicalType) -> str:
    point = native(text, type_)
    return f"CAST({point} AS TIMESTAMP_NTZ)" if isinstance(type_, LocalZonedTimestampType) else point


_PARTS: dict[TimeUnit, str] = {
    TimeUnit.YEAR: "year({0})",
    TimeUnit.QUARTER: "quarter({0})",
    TimeUnit.MONTH: "month({0})",
    TimeUnit.WEEK: "weekofyear({0})",
    TimeUnit.DAY: "day({0})",
    TimeUnit.DOW: "dayofweek({0})",
    TimeUnit.ISODOW: "(weekday({0}) + 1)",
    TimeUnit.DOY: "dayofyear({0})",
    TimeUnit.ISOYEAR: "extract(YEAROFWEEK FROM {0})",
    TimeUnit.DECADE: "floor(year({0}) / 10)",
    TimeUnit.CENTURY: "ceil(year({0}) / 100)",
    TimeUnit.MILLENNIUM: "ceil(year({0}) / 1000)",
    TimeUnit.HOUR: "hour({0})",
    TimeUnit.MINUTE: "minute({0})",
    TimeUnit.SECOND: "second({0})",
    TimeUnit.MILLISECOND: "(extract(SECOND FROM {0}) * 1000) % 1000",
    TimeUnit.MICROSECOND: "(extract(SECOND FROM {0}) * 1000000) % 1000000",
    TimeUnit.NANOSECOND: "(extract(SECOND FROM {0}) * 1000000) % 1000000 * 1000",
}
_TIME_PARTS = frozenset({TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND, TimeUnit.MILLISECOND, TimeUnit.MICROSECOND, TimeUnit.NANOSECOND})
"""Units for which a date is first converted to a timestamp."""
_INTERVAL_PARTS: dict[TimeUnit, tuple[int, int]] = {
    TimeUnit.DAY: (86_400_000_000, 0),
    TimeUnit.HOUR: (3_600_000_000, 24),
    TimeUnit.MINUTE: (60_000_000, 60),
    TimeUnit.SECOND: (1_000_000, 60),
    TimeUnit.MILLISECOND: (1_000, 1_000),
    TimeUnit.MICROSECOND: (1, 1_000_000),
    TimeUnit.EPOCH: (1_000_000, 0),
}


def _part(unit: TimeUnit, text: str, type_: LogicalType) -> str:
    if isinstance(type_, YearMonthIntervalType):
        months = f"CAST(CAST({text} AS INTERVAL MONTH) AS BIGINT)"
        match unit:
            case TimeUnit.YEAR:
                return f"({months} div 12L)"
            case TimeUnit.QUARTER:
                return f"({months} % 12L div 3L + 1L)"
            case TimeUnit.MONTH:
                return f"({months} % 12L)"
    elif isinstance(type_, DayTimeIntervalType):
        if unit in _INTERVAL_PARTS:
            size, modulus = _INTERVAL_PARTS[unit]
            whole = f"({micros_of_interval(text)} div {size}L)"
            return f"({whole} % {modulus}L)" if modulus else whole
    elif unit is TimeUnit.EPOCH:
        if isinstance(type_, LocalZonedTimestampType):
            return f"unix_seconds({native(text, type_)})"
        return bind(micros_of_local(native(text, type_)), lambda x: f"(({x} - pmod({x}, 1000000L)) div 1000000L)")
    elif unit is TimeUnit.NANOSECOND and has_nanosecond_encoding(type_):
        return f"pmod({text}, 1000000000L)"
    elif unit in _PARTS and (unit in _TIME_PARTS or not isinstance(type_, TimeType)):
        return _PARTS[unit].format(text if isinstance(type_, DateType) and unit not in _TIME_PARTS else _local(text, type_))
    raise TableException(f"The planner 'spark' cannot extract {unit.value} from {type_}.")


def _field(unit: TimeUnit) -> Translation:
    return lambda call, args: f"CAST({_part(unit, args[0], call.args[0].output_type)} AS BIGINT)"


def _extract(call: CallExpression, args: Sequence[str]) -> str:
    unit = literal_of(call, 0)
    assert isinstance(unit, TimeUnit)
    return f"CAST({_part(unit, args[1], call.args[1].output_type)} AS BIGINT)"


_NOT_SPARKS = frozenset("YwWuecAnN")
"""Pattern letters that Spark rejects, such as those of weeks, or formats in another way."""
_QUOTED = re.compile(r"'(?:[^']|'')*'")


def _date_format(call: CallExpression, args: Sequence[str]) -> str:
    type_ = call.args[0].output_type
    moment = parse_timestamp(args[0], _TEXT_TIMESTAMP, True) if isinstance(type_, CharacterType) else native(args[0], type_)
    if has_nanosecond_encoding(type_) and _has_fine_pattern(call.args[1]):
        return _formatted_finely(to_spark_cast(args[0], type_, TimestampType(9)), call, args)
    if isinstance(type_, LocalZonedTimestampType):
        return _formatted(f"date_format({moment}, {args[1]})", moment, LocalZonedTimestampType(6), call)
    if _has_letters(_ZONE_LETTERS, call.args[1]):  # the zone of a TIMESTAMP is UTC, and not the session's as in Spark
        return _formatted_in_worker(moment, TimestampType(6), call)
    return bind(moment, lambda x: _formatted(_format_of_local(x, call, args), x, TimestampType(6), call))


_ZONES_WITHOUT_GAPS = ("UTC", "GMT", "Z", "+", "-")
_ZONE_LETTERS = frozenset("VzOXxZ")


def _format_of_local(local: str, call: CallExpression, args: Sequence[str]) -> str:
    """Returns the text of a TIMESTAMP_NTZ. Spark's date_format converts it to an instant, which changes a local time that the zone leaves out."""
    text = f"date_format({local}, {args[1]})"
    if current_scope().time_zone.upper().startswith(_ZONES_WITHOUT_GAPS):
        return text
    if isinstance(call.args[1], ValueLiteralExpression):
        in_gap = f"get_json_object(to_json(named_struct('t', {local}), map('timestampNTZFormat', {args[1]})), '$.t')"
    else:
        columns = [FieldReferenceExpression("f0", _TEXT_TIMESTAMP, 0, 0), FieldReferenceExpression("f1", call.args[1].output_type, 0, 1)]
        in_gap = evaluate_in_worker(CallExpression(fn.DATE_FORMAT, tuple(columns), call.output_type), [local, args[1]])
    return f"if(CAST(CAST({local} AS TIMESTAMP_LTZ) AS TIMESTAMP_NTZ) <> {local}, {in_gap}, {text})"


def _has_fine_pattern(pattern: ResolvedExpression) -> bool:
    """Returns whether a pattern may show digits below microseconds."""
    if not isinstance(pattern, ValueLiteralExpression):
        return True
    letters = _QUOTED.sub("", str(pattern.value))
    return "SSSSSSS" in letters or any(letter in letters for letter in "nNA")


def _formatted_finely(local: str, call: CallExpression, args: Sequence[str]) -> str:
    """Returns a worker call that formats a local timestamp, given as BIGINT nanoseconds."""
    column = FieldReferenceExpression("f0", TimestampType(9), 0, 0)
    pattern = call.args[1]
    if isinstance(pattern, ValueLiteralExpression):
        return evaluate_in_worker(CallExpression(fn.DATE_FORMAT, (column, pattern), call.output_type), [local])
    pattern = FieldReferenceExpression("f1", pattern.output_type, 0, 1)
    return evaluate_in_worker(CallExpression(fn.DATE_FORMAT, (column, pattern), call.output_type), [local, args[1]])


def _formatted(text: str, moment: str, type_: LogicalType, call: CallExpression) -> str:
    """Returns ``text``, or a worker call that formats the timestamp if Spark rejects letters of the pattern."""
    return _formatted_in_worker(moment, type_, call) if _has_letters(_NOT_SPARKS, call.args[-1]) else text


def _formatted_in_worker(moment: str, type_: LogicalType, call: CallExpression) -> str:
    column = FieldReferenceExpression("f0", type_, 0, 0)
    return evaluate_in_worker(CallExpression(fn.DATE_FORMAT, (column, call.args[-1]), call.output_type), [moment])


def _has_letters(letters: frozenset[str], pattern: ResolvedExpression) -> bool:
    """Returns whether a constant pattern has one of the letters outside of quotes."""
    if not isinstance(pattern, ValueLiteralExpression) or pattern.value is None:
        return False
    return not letters.isdisjoint(_QUOTED.sub("", str(pattern.value)))


def _to_date(call: CallExpression, args: Sequence[str]) -> str:
    if len(args) > 1:  # Flink's rules for texts that do not match the pattern are not Spark's
        return through_kernel(call, args)
    return parse_date(args[0], True)


def _to_timestamp(call: CallExpression, args: Sequence[str]) -> str:
    assert isinstance(call.output_type, TimestampType)
    if len(args) > 1:  # Flink's rules for texts that do not match the pattern are not Spark's
        return through_kernel(call, args)
    target = call.output_type
    return bind(args[0], lambda x: f"(CASE WHEN {x} = trim({x}) THEN {parse_timestamp(x, target, True)} END)")


def _to_timestamp_ltz(call: CallExpression, args: Sequence[str]) -> str:
    result = call.output_type
    assert isinstance(result, LocalZonedTimestampType)
    if not isinstance(call.args[0].output_type, CharacterType):
        digits = literal_of(call, 1) if len(args) > 1 else 3
        is_whole = isinstance(call.args[0].output_type, EXACT_INTEGERS)
        return _epoch(args[0], digits, result) if is_whole and isinstance(digits, int) else through_kernel(call, args)
    if len(args) > 1:
        return through_kernel(call, args)
    local = parse_timestamp(args[0], _TEXT_TIMESTAMP, False)
    return _in_precision(utc_to_instant(local), result)


def _epoch(number: str, digits: int, result: LocalZonedTimestampType) -> str:
    whole = f"CAST({number} AS BIGINT)"
    if has_nanosecond_encoding(result):
        return f"try_multiply({whole}, {10 ** (9 - digits)}L)"
    if digits > 6:
        return truncate_native(f"timestamp_micros({whole} div {10 ** (digits - 6)}L)", result)
    return truncate_native(f"timestamp_micros(try_multiply({whole}, {10 ** (6 - digits)}L))", result)


def _from_unixtime(call: CallExpression, args: Sequence[str]) -> str:
    if len(args) == 1:
        return f"from_unixtime({args[0]}, {_STANDARD_FORMAT})"
    moment = f"timestamp_seconds({args[0]})"
    return _formatted(f"from_unixtime({args[0]}, {args[1]})", moment, LocalZonedTimestampType(6), call)


def _unix_timestamp(call: CallExpression, args: Sequence[str]) -> str:
    if not args:
        return "unix_timestamp()"
    return through_kernel(call, args)  # Flink's rules for texts that do not match the pattern are not Spark's


def _zone(call: CallExpression, args: Sequence[str], position: int) -> str:
    zone = literal_of(call, position)
    if not isinstance(zone, str):
        return args[position]
    from zoneinfo import ZoneInfo

    if zone.startswith(("GMT+", "GMT-", "UTC+", "UTC-", "+", "-")):
        return args[position]
    try:
        ZoneInfo(zone)
    except (ValueError, OSError, KeyError):
        return quote_text("UTC")  # an unknown zone is UTC, as in Java
    return args[position]


def _convert_tz(call: CallExpression, args: Sequence[str]) -> str:
    if literal_of(call, 1) is None or literal_of(call, 2) is None:  # an unknown zone is an error in Spark
        return through_kernel(call, args)
    local = parse_timestamp(args[0], TimestampType(0), True)
    return f"CAST(convert_timezone({_zone(call, args, 1)}, {_zone(call, args, 2)}, {local}) AS STRING)"


_MONTH_UNITS = {TimeUnit.MONTH: 1, TimeUnit.QUARTER: 3, TimeUnit.YEAR: 12}
_TIME_UNITS = {
    TimeUnit.WEEK: "INTERVAL '7' DAY",
    TimeUnit.DAY: "INTERVAL '1' DAY",
    TimeUnit.HOUR: "INTERVAL '1' HOUR",
    TimeUnit.MINUTE: "INTERVAL '1' MINUTE",
    TimeUnit.SECOND: "INTERVAL '1' SECOND",
    TimeUnit.MILLISECOND: "INTERVAL '0.001' SECOND",
    TimeUnit.MICROSECOND: "INTERVAL '0.000001' SECOND",
}


def _timestamp_add(call: CallExpression, args: Sequence[str]) -> str:
    unit = literal_of(call, 0)
    type_ = call.args[2].output_type
    if unit in _MONTH_UNITS:
        return add_to_datetime(
            args[2], type_, f"make_ym_interval(0, {args[1]} * {_MONTH_UNITS[unit]})", YearMonthIntervalType(), call.output_type
        )
    if unit in _TIME_UNITS:
        return add_to_datetime(args[2], type_, f"({args[1]} * {_TIME_UNITS[unit]})", DayTimeIntervalType(), call.output_type)
    if unit is TimeUnit.NANOSECOND and has_nanosecond_encoding(type_):
        return f"({args[2]} + {args[1]})"
    raise TableException(f"The planner 'spark' cannot add time in the unit {unit} to {type_}.")


def _timestamp_diff(call: CallExpression, args: Sequence[str]) -> str:
    unit = literal_of(call, 0)
    assert isinstance(unit, TimeUnit)
    types = [argument.output_type for argument in call.args[1:]]
    if any(map(has_nanosecond_encoding, types)):
        earlier, later = apart(args[1], types[0], args[2], types[1])
    elif all(isinstance(type_, LocalZonedTimestampType) for type_ in types):
        earlier, later = (native_in_utc(text, type_) for text, type_ in zip(args[1:], types, strict=True))
    else:
        earlier, later = (_local(text, type_) for text, type_ in zip(args[1:], types, strict=True))
    if unit not in _MONTH_UNITS:
        return f"CAST({difference(unit, earlier, later)} AS INT)"

    return f"CAST({months_between(earlier, later)} div {_MONTH_UNITS[unit]}L AS INT)"


def _time_now(call: CallExpression, args: Sequence[str]) -> str:
    assert isinstance(call.output_type, TimeType)
    return time_of_local("localtimestamp()", min(call.output_type.precision, 6))


def _no_watermark(call: CallExpression, args: Sequence[str]) -> str:
    assert isinstance(call.output_type, (TimestampType, LocalZonedTimestampType))
    return f"CAST(NULL AS {'TIMESTAMP_LTZ' if isinstance(call.output_type, LocalZonedTimestampType) else 'TIMESTAMP_NTZ'})"


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.CURRENT_DATE: sql("current_date"),
    fn.CURRENT_TIME: _time_now,
    fn.LOCALTIME: _time_now,
    fn.CURRENT_TIMESTAMP: _clock("current_timestamp()"),
    fn.NOW: _clock("current_timestamp()"),
    fn.CURRENT_ROW_TIMESTAMP: _clock("current_timestamp()"),
    fn.PROCTIME: _clock("current_timestamp()"),
    fn.LOCALTIMESTAMP: _clock("localtimestamp()"),
    fn.CURRENT_WATERMARK: _no_watermark,
    fn.YEAR: _field(TimeUnit.YEAR),
    fn.QUARTER: _field(TimeUnit.QUARTER),
    fn.MONTH: _field(TimeUnit.MONTH),
    fn.WEEK: _field(TimeUnit.WEEK),
    fn.DAYOFYEAR: _field(TimeUnit.DOY),
    fn.DAYOFMONTH: _field(TimeUnit.DAY),
    fn.DAYOFWEEK: _field(TimeUnit.DOW),
    fn.HOUR: _field(TimeUnit.HOUR),
    fn.MINUTE: _field(TimeUnit.MINUTE),
    fn.SECOND: _field(TimeUnit.SECOND),
    fn.EXTRACT: _extract,
    fn.DATE_FORMAT: _date_format,
    fn.TO_DATE: _to_date,
    fn.TO_TIMESTAMP: _to_timestamp,
    fn.TO_TIMESTAMP_LTZ: _to_timestamp_ltz,
    fn.FROM_UNIXTIME: _from_unixtime,
    fn.UNIX_TIMESTAMP: _unix_timestamp,
    fn.CONVERT_TZ: _convert_tz,
    fn.TIMESTAMPADD: _timestamp_add,
    fn.TIMESTAMPDIFF: _timestamp_diff,
}
