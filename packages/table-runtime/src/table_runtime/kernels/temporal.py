"""Functions on dates, times, timestamps and intervals. TIMESTAMP_LTZ is interpreted in the session's time zone."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.configuration import time_zone_of
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.expressions import CallExpression, TimeUnit
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import temporal as fn
from table_common.types import (
    CharacterType,
    DateType,
    DayTimeIntervalType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    YearMonthIntervalType,
)
from table_runtime.casts import cast, to_local
from table_runtime.casts.from_text import parse_date, parse_timestamp
from table_runtime.casts.temporal import TICKS_PER_SECOND
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.fields import extract, unit_of
from table_runtime.kernels.interval_arithmetic import move, whole_months
from table_runtime.kernels.kernel import Kernel, KernelFunction, infallible
from table_runtime.kernels.support.date_patterns import Moment, date_pattern, text_pieces
from table_runtime.kernels.support.java_moments import read_java_moment
from table_runtime.kernels.support.rowwise import apply_rows

_NANOS = 1_000_000_000
_DAY_NANOS = 86_400 * _NANOS
_EPOCH = datetime(1970, 1, 1)
_DEFAULT_PATTERN = "yyyy-MM-dd HH:mm:ss"
_DAY_TEXT, _MINUTE_TEXT = len("yyyy-MM-dd"), len("yyyy-MM-dd HH:mm")
_FEW_TIMES = 256
"""Up to this many rows it is not worthwhile to find the distinct times."""
_UNIT_NANOS = {
    TimeUnit.NANOSECOND: 1,
    TimeUnit.MICROSECOND: 1_000,
    TimeUnit.MILLISECOND: 1_000_000,
    TimeUnit.SECOND: _NANOS,
    TimeUnit.MINUTE: 60 * _NANOS,
    TimeUnit.HOUR: 3_600 * _NANOS,
    TimeUnit.DAY: _DAY_NANOS,
    TimeUnit.WEEK: 7 * _DAY_NANOS,
}
_UNIT_MONTHS = {TimeUnit.MONTH: 1, TimeUnit.QUARTER: 3, TimeUnit.YEAR: 12}


def _field(unit: TimeUnit) -> Kernel:
    return infallible(lambda args, call, context, num_rows: extract(unit, args[0], call.args[0].output_type, context))


def _extract(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    return extract(unit_of(call, 0), args[1], call.args[1].output_type, context)


def _clock(convert: Callable[[int, LogicalType, EvaluationContext], Any]) -> Kernel:
    return infallible(lambda args, call, context, num_rows: convert(context.now(), call.output_type, context))


def _instant(nanos: int, target: LogicalType, context: EvaluationContext) -> Any:
    value = pc.cast(pc.cast(pa.scalar(nanos // 1_000_000, pa.int64()), pa.timestamp("ms", "UTC")), pa.timestamp("us", "UTC"))
    return cast(value, LocalZonedTimestampType(3), target, context)


def _moment(nanos: int, zone: str) -> Moment:
    """Returns the local time in the zone at an instant."""
    info = time_zone_of(zone)
    seconds, nano = divmod(nanos, _NANOS)
    local = (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=time_zone_of("UTC")).astimezone(info)
    offset = local.utcoffset()
    assert offset is not None
    return Moment(local.replace(tzinfo=None), nano, int(offset.total_seconds()), zone)


def _local_moment(nanos: int) -> Moment:
    seconds, nano = divmod(nanos, _NANOS)
    return Moment(_EPOCH + timedelta(seconds=seconds), nano)


def _to_instant(day: int, nanos_of_day: int, zone: str) -> int:
    """Returns nanoseconds UTC of a local time in the zone."""
    seconds = day * 86_400 + nanos_of_day // _NANOS
    offset = (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=time_zone_of(zone)).utcoffset()
    assert offset is not None
    return (seconds - int(offset.total_seconds())) * _NANOS + nanos_of_day % _NANOS


def _distinct_times(times: Any, length: int) -> tuple[Any, Any]:
    """Returns the distinct times whose texts differ in the first ``length`` characters, and the position of each row; None: all rows as they are.

    Many rows have few days and minutes; all rows of a batch are often of one, which is then a scalar.
    """
    unit = "day" if length <= _DAY_TEXT else "minute"
    # The day of the least time in nanoseconds is out of range.
    if length > _MINUTE_TEXT or isinstance(times, pa.Scalar) or len(times) <= _FEW_TIMES or times.type.unit == "ns":
        return times, None
    if not times.null_count:
        bounds = pc.min_max(times)
        ends = pc.floor_temporal(pa.array([bounds["min"].value, bounds["max"].value], pa.int64()).view(times.type), unit=unit)
        if ends[0] == ends[1]:
            return ends[0], None
    encoded = pc.dictionary_encode(pc.cast(pc.floor_temporal(times, unit=unit), pa.int64()))
    return pc.cast(encoded.dictionary, times.type), encoded.indices


def _date_format(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    value, pattern = args
    source = call.args[0].output_type
    if isinstance(source, CharacterType):

        def reformat(text: str, pattern: str) -> str | None:
            nanos = parse_timestamp(text.strip(" "))
            return None if nanos is None else date_pattern(pattern).write(_local_moment(nanos))

        return apply_rows(reformat, args, pa.string(), num_rows)
    pieces = text_pieces(pattern.as_py()) if isinstance(pattern, pa.Scalar) and pattern.is_valid else None
    length = max((piece[1] for piece in pieces or () if not isinstance(piece, str)), default=0)
    if pieces is not None and length:  # fixed text alone is NULL for NULL
        local = to_local(value, context.time_zone) if isinstance(source, LocalZonedTimestampType) else value
        times, positions = _distinct_times(local, length)
        text = pc.cast(times, pa.string())
        if pc.all(pc.match_substring_regex(text, r"^\d{4}-")).as_py() is not False:
            parts = [pa.scalar(piece) if isinstance(piece, str) else pc.utf8_slice_codeunits(text, *piece) for piece in pieces]
            texts = pc.binary_join_element_wise(*parts, "")
            return texts if positions is None else pc.take(texts, positions)
    per_tick = _NANOS // TICKS_PER_SECOND[value.type.unit]
    if isinstance(source, LocalZonedTimestampType):
        zone = context.time_zone

        def write(ticks: int, pattern: str) -> str:
            return date_pattern(pattern).write(_moment(ticks * per_tick, zone))
    else:

        def write(ticks: int, pattern: str) -> str:
            return date_pattern(pattern).write(_local_moment(ticks * per_tick))

    return apply_rows(write, [pc.cast(value, pa.int64()), pattern], pa.string(), num_rows)


def _read(text: str, pattern: str) -> tuple[int, int, int | None] | None:
    if pattern == _DEFAULT_PATTERN:
        nanos = parse_timestamp(text.strip(" "))
        return None if nanos is None else (nanos // _DAY_NANOS, nanos % _DAY_NANOS, None)
    return date_pattern(pattern).read(text)


_BEGINNING = re.compile(r"\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2} [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}")


def _read_beginning(text: str) -> tuple[int, int, int | None] | None:
    """Reads a timestamp with date and time; what follows the seconds is ignored."""
    found = _BEGINNING.match(text)
    return None if found is None else _read(found[0], _DEFAULT_PATTERN)


def _read_moment(text: str, pattern: str) -> tuple[int, int, int | None] | None:
    """Returns what ``_read`` does, for TO_TIMESTAMP: texts that do not match the pattern may have Java's own form of a date or timestamp."""
    fields = date_pattern(pattern).read(text)
    if fields is None:
        moment = read_java_moment(text)
        return None if moment is None else (*moment, None)
    return fields


def _to_date(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    def read(text: str, pattern: str) -> int | None:
        fields = date_pattern(pattern).read(text)
        return None if fields is None else fields[0]

    days = apply_rows(parse_date if len(args) == 1 else read, args, pa.int32(), num_rows)
    return pc.cast(days, pa.date32())


def _to_timestamp(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    target = call.output_type
    assert isinstance(target, TimestampType)
    cut = 10 ** (9 - target.precision)

    def read(text: str, pattern: str | None = None) -> int | None:
        if pattern is None:
            nanos = parse_timestamp(text)  # with blanks around it, a text is NULL; with a pattern, it is read
            return None if nanos is None else _in_ticks(nanos, cut, unit)
        fields = _read_moment(text, pattern)
        return None if fields is None else _in_ticks(fields[0] * _DAY_NANOS + fields[1], cut, unit)

    unit = to_arrow_type(target).unit
    return pc.cast(apply_rows(read, args, pa.int64(), num_rows), pa.timestamp(unit))


def _in_ticks(nanos: int, cut: int, unit: str) -> int | None:
    ticks = nanos // cut * cut // (_NANOS // TICKS_PER_SECOND[unit])
    return ticks if -(2**63) <= ticks < 2**63 else None


def _to_timestamp_ltz(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    target = call.output_type
    assert isinstance(target, LocalZonedTimestampType)
    cut = 10 ** (9 - target.precision)
    unit = to_arrow_type(target).unit
    if isinstance(call.args[0].output_type, CharacterType):
        if len(args) > 1 and isinstance(args[1], pa.Scalar) and args[1].is_valid:
            date_pattern(args[1].as_py())  # a constant that is not valid is an error, one of a row gives NULL

        def read(text: str, pattern: str | None = None, zone: str = "UTC") -> int | None:
            try:
                fields = _read(text, _DEFAULT_PATTERN) if pattern is None else _read_moment(text, pattern)
                time_zone_of(zone)
            except (TableRuntimeException, ValidationException):  # the pattern or the zone of a row is not valid
                return None
            if fields is None:
                if pattern is None:  # as in Flink
                    raise TableRuntimeException(
                        f"TO_TIMESTAMP_LTZ cannot read '{text}' with the pattern '{_DEFAULT_PATTERN}'.",
                        hint="write the pattern as the second argument: text that does not match it gives NULL",
                    )
                return None
            day, nanos, offset = fields
            instant = _to_instant(day, nanos, zone) if offset is None else day * _DAY_NANOS + nanos - offset * _NANOS
            return _in_ticks(instant, cut, unit)

        ticks = apply_rows(read, args, pa.int64(), num_rows)
    else:

        def count(number: Any, precision: int = 3) -> int | None:
            if not 0 <= precision <= 9:
                raise TableRuntimeException(f"TO_TIMESTAMP_LTZ takes a precision from 0 to 9, but got {precision}.")
            return _in_ticks(_nanos_of(number, 10 ** (9 - precision)), cut, unit)

        ticks = apply_rows(count, args, pa.int64(), num_rows)
    return pc.cast(ticks, pa.timestamp(unit, "UTC"))


_OUT_OF_RANGE = 2**100


def _nanos_of(number: Any, per_unit: int) -> int:
    """Returns a count of units as nanoseconds: with the fraction of a floating-point number, without that of a decimal, as in Flink."""
    if isinstance(number, float):
        # Differs from Flink: TO_TIMESTAMP_LTZ of NaN is NULL, as of infinity; Flink returns 1970.
        nanos = number * per_unit
        return int(nanos) if math.isfinite(nanos) else _OUT_OF_RANGE
    return int(number) * per_unit


def _from_unixtime(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    zone = context.time_zone

    def write(seconds: int, pattern: str = _DEFAULT_PATTERN) -> str | None:
        try:
            return date_pattern(pattern).write(_moment(seconds * _NANOS, zone))
        except (OverflowError, ValueError):
            return None

    return apply_rows(write, args, pa.string(), num_rows)


def _unix_timestamp(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    if not args:
        return pa.scalar(context.now() // _NANOS, pa.int64())
    zone = context.time_zone

    def read(text: str, pattern: str = _DEFAULT_PATTERN) -> int:
        fields = _read_beginning(text) if pattern == _DEFAULT_PATTERN else _read(text, pattern)
        if fields is None:
            # Flink's result for text that is not a timestamp.
            return -(2**63)
        day, nanos, offset = fields
        return (_to_instant(day, nanos, zone) if offset is None else day * _DAY_NANOS + nanos - offset * _NANOS) // _NANOS

    return apply_rows(read, args, pa.int64(), num_rows)


def _known_zone(name: str) -> str:
    try:
        time_zone_of(name)
    except ValidationException:
        return "UTC"
    return name


def _convert_tz(text: str, source: str, target: str) -> str | None:
    fields = _read(text, _DEFAULT_PATTERN)
    if fields is None:
        return None
    instant = _to_instant(fields[0], fields[1], _known_zone(source))
    return date_pattern(_DEFAULT_PATTERN).write(_moment(instant, _known_zone(target)))


def _timestamp_add(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    unit = unit_of(call, 0)
    count, point = args[1], args[2]
    point_type = call.args[2].output_type
    if unit in _UNIT_MONTHS:
        interval = pc.multiply_checked(pc.cast(count, pa.int32()), pa.scalar(_UNIT_MONTHS[unit], pa.int32()))
        return move(point, point_type, interval, YearMonthIntervalType(), call.output_type, context, num_rows)
    nanos = _UNIT_NANOS[unit]
    # In 64 bits, milliseconds have a much larger range than nanoseconds.
    arrow_unit, size = ("ms", nanos // 1_000_000) if nanos >= 1_000_000 else ("ns", nanos)
    interval = pc.cast(pc.multiply_checked(pc.cast(count, pa.int64()), pa.scalar(size, pa.int64())), pa.duration(arrow_unit))
    return move(point, point_type, interval, DayTimeIntervalType(), call.output_type, context, num_rows)


def _timestamp_diff(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    unit = unit_of(call, 0)
    if all(isinstance(node.output_type, LocalZonedTimestampType) for node in call.args[1:]):
        # Differs from Flink: TIMESTAMP_LTZ together with another type is converted to local time; Flink accepts it only with another TIMESTAMP_LTZ.
        values = [pc.cast(value, pa.timestamp(value.type.unit)) for value in args[1:]]
    else:
        values = [_comparable(value, node.output_type, context) for value, node in zip(args[1:], call.args[1:], strict=True)]
    earlier, later = values
    if unit in _UNIT_MONTHS:
        months = whole_months(later, earlier, num_rows)
        return pc.divide(months, pa.scalar(_UNIT_MONTHS[unit], pa.int32()))
    finest = max((value.type.unit for value in values), key=lambda name: TICKS_PER_SECOND[name])
    ticks = [pc.cast(pc.cast(value, pa.timestamp(finest)), pa.int64()) for value in values]
    difference = pc.subtract_checked(ticks[1], ticks[0])
    per_tick = _NANOS // TICKS_PER_SECOND[finest]
    size = _UNIT_NANOS[unit]
    if size >= per_tick:
        return pc.cast(pc.divide(difference, pa.scalar(size // per_tick, pa.int64())), pa.int32())
    return pc.cast(pc.multiply_checked(difference, pa.scalar(per_tick // size, pa.int64())), pa.int32())


def _comparable(value: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns dates, times and instants as timestamps without a zone."""
    if isinstance(source, DateType):
        return pc.cast(pc.cast(value, pa.timestamp("s")), pa.timestamp("us"))
    if pa.types.is_time64(value.type):
        return pc.cast(pc.cast(value, pa.int64()), pa.timestamp(value.type.unit))
    if isinstance(source, LocalZonedTimestampType):
        return to_local(value, context.time_zone)
    return value


def _local_date(nanos: int, target: LogicalType, context: EvaluationContext) -> Any:
    return cast(_instant(nanos, LocalZonedTimestampType(3), context), LocalZonedTimestampType(3), target, context)


def _watermark(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    # A batch has no watermark; operators with a watermark pass their own kernel to the evaluator.
    return pa.scalar(None, to_arrow_type(call.output_type))


def _strings(function: Callable[..., Any]) -> KernelFunction:
    return lambda args, call, context, num_rows: apply_rows(function, args, pa.string(), num_rows)


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.CURRENT_DATE: _clock(_local_date),
    fn.CURRENT_TIME: _clock(_local_date),
    fn.CURRENT_TIMESTAMP: _clock(_instant),
    fn.NOW: _clock(_instant),
    fn.CURRENT_ROW_TIMESTAMP: _clock(_instant),
    fn.LOCALTIME: _clock(_local_date),
    fn.LOCALTIMESTAMP: _clock(_local_date),
    fn.PROCTIME: _clock(_instant),
    fn.CURRENT_WATERMARK: infallible(_watermark),
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
    fn.EXTRACT: infallible(_extract),
    fn.DATE_FORMAT: Kernel(_date_format),
    fn.TO_DATE: Kernel(_to_date),
    fn.TO_TIMESTAMP: Kernel(_to_timestamp),
    fn.TO_TIMESTAMP_LTZ: Kernel(_to_timestamp_ltz),
    fn.FROM_UNIXTIME: Kernel(_from_unixtime),
    fn.UNIX_TIMESTAMP: Kernel(_unix_timestamp),
    fn.CONVERT_TZ: infallible(_strings(_convert_tz)),
    fn.TIMESTAMPADD: Kernel(_timestamp_add),
    fn.TIMESTAMPDIFF: Kernel(_timestamp_diff),
}
