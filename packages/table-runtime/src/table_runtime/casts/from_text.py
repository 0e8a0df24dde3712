"""Casts of strings. Each parser returns None for text that is not a value of the type; the caller turns it into an error or NULL."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.types import DecimalType, LogicalType, PrecisionTimeType
from table_runtime.casts.decimals import fit_decimal
from table_runtime.casts.distinct import map_distinct
from table_runtime.casts.numbers import INTEGER_RANGES
from table_runtime.casts.temporal import TICKS_PER_SECOND
from table_runtime.casts.zone import from_local
from table_runtime.evaluation_context import EvaluationContext

_BOOLEANS = dict.fromkeys(("t", "true", "y", "yes", "1"), True) | dict.fromkeys(("f", "false", "n", "no", "0"), False)
_INTEGER = re.compile(r"([+-]?\d*)(?:\.\d*)?", re.ASCII)
_PLAIN_INTEGER = r"^-?[0-9]{1,18}$"
_DOUBLE = re.compile(
    r"([+-]?)(?:(NaN|Infinity)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]?|(0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+)[fFdD]?)",
    re.ASCII,
)
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,10}))?", re.ASCII)
_LARGEST_EXPONENT = 2**31 - 1
_DATE = re.compile(r"\s*(\d+)\s*(?:-\s*(\d+)\s*(?:-\s*(\d+)\s*)?)?", re.ASCII)
_TIME = re.compile(r"(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9})\d*)?)?)?", re.ASCII)
_TIMESTAMP = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?)?", re.ASCII)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_DAY_SECONDS = 86_400
_NANOS = 1_000_000_000


_MOST_DIGITS = 19
"""Maximum digits of a 64-bit integer. Python refuses to parse integers of thousands of digits."""


def _trimmed(values: Any) -> Any:
    return pc.utf8_trim(values, characters=" ")


def text_to_boolean(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Parses a boolean: TRUE for t, true, y, yes, 1 and FALSE for f, false, n, no, 0, case-insensitive."""
    return map_distinct(_trimmed(values), lambda text: _BOOLEANS.get(text.lower()), pa.bool_())


def text_to_integer(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Parses an integer; a fraction is truncated."""
    arrow_type = to_arrow_type(target)
    low, high = INTEGER_RANGES[arrow_type]
    trimmed = _trimmed(values)
    if pa.types.is_int64(arrow_type) and pc.all(pc.match_substring_regex(trimmed, _PLAIN_INTEGER)).as_py() is not False:
        return pc.cast(trimmed, arrow_type)

    def parse(text: str) -> int | None:
        match = _INTEGER.fullmatch(text)
        if match is None or text in ("", "+", "-"):
            return None
        digits = match[1].lstrip("+-").lstrip("0")
        if len(digits) > _MOST_DIGITS:
            return None
        number = int(digits or "0") * (-1 if match[1].startswith("-") else 1)
        return number if low <= number <= high else None

    return map_distinct(trimmed, parse, arrow_type)


def parse_double(text: str) -> float | None:
    """Parses a floating point number as Java does: also ``NaN`` and ``Infinity``, hexadecimal numbers such as ``0x1p3``, and a suffix ``f`` or ``d``."""
    match = _DOUBLE.fullmatch(text)
    if match is None:
        return None
    if match[4] is None:
        number = float(match[3] or match[2])
    else:
        try:
            number = float.fromhex(match[4])
        except OverflowError:
            number = math.inf
    return -number if match[1] == "-" else number


def text_to_approximate(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Parses a floating point number."""
    return pc.cast(map_distinct(_trimmed(values), parse_double, pa.float64()), to_arrow_type(target), safe=False)


def text_to_decimal(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Parses a number, with an optional exponent, and rounds it half up."""
    # Differs from Flink: zero is 0 with any exponent, and a number whose digits are all cut is 0. Flink gives NULL, or an error of CAST, for a DECIMAL of at most 18 digits if the exponent is
    # far from its scale, such as 0e9 or 1e-40 for DECIMAL(10, 2).
    assert isinstance(target, DecimalType)
    precision, scale = target.precision, target.scale

    def parse(text: str) -> Decimal | None:
        match = _DECIMAL.fullmatch(text)
        if match is None or abs(int(match[1] or 0)) > _LARGEST_EXPONENT:
            return None
        try:
            return fit_decimal(Decimal(text), precision, scale)
        except InvalidOperation:
            return None

    return map_distinct(_trimmed(values), parse, to_arrow_type(target))


def parse_date(text: str) -> int | None:
    """Parses ``y``, ``y-m`` or ``y-m-d`` and returns epoch days; text after a blank is ignored."""
    match = _DATE.fullmatch(text.strip(" ").partition(" ")[0])
    if match is None:
        return None
    return _epoch_day(int(match[1]), int(match[2] or 1), int(match[3] or 1))


def _epoch_day(year: int, month: int, day: int) -> int | None:
    if not (0 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    try:
        if year == 0:
            # Python's calendar begins with year 1; 2000 has the same days as year 0.
            return date(2000, month, day).toordinal() - _EPOCH_DAY - 730_485
        return date(year, month, day).toordinal() - _EPOCH_DAY
    except ValueError:
        return None


def parse_time(text: str) -> int | None:
    """Parses ``h``, ``h:m`` or ``h:m:s[.fraction]`` and returns nanoseconds of the day."""
    match = _TIME.fullmatch(text.strip(" "))
    if match is None:
        return None
    return _nanos_of_day(int(match[1]), int(match[2] or 0), int(match[3] or 0), match[4] or "")


def _nanos_of_day(hour: int, minute: int, second: int, fraction: str) -> int | None:
    if hour > 23 or minute > 59 or second > 59:
        return None
    return (hour * 3600 + minute * 60 + second) * _NANOS + int((fraction + "000000000")[:9])


def parse_timestamp(text: str) -> int | None:
    """Parses ``yyyy-m-d[ h:m:s[.fraction]]`` and returns nanoseconds since 1970-01-01 00:00 in the same time zone."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    # Differs from Flink: the texts 2020-02-30 and 24:00:00 are not valid as TIMESTAMP, DATE or TIME (NULL, or an error of CAST); Flink takes the last
    # day of the month, and the next day. CAST ignores blanks around the text, as in other casts; Flink refuses them.
    day = _epoch_day(int(match[1]), int(match[2]), int(match[3]))
    nanos = _nanos_of_day(int(match[4] or 0), int(match[5] or 0), int(match[6] or 0), match[7] or "")
    return None if day is None or nanos is None else day * _DAY_SECONDS * _NANOS + nanos


def text_to_date(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Parses a date."""
    return pc.cast(map_distinct(values, parse_date, pa.int32()), pa.date32())


def text_to_time(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Parses a time of day, truncated to the target's precision."""
    arrow_type = to_arrow_type(target)
    return pc.cast(map_distinct(values, _in_ticks(parse_time, target, arrow_type.unit), pa.int64()), arrow_type)


def text_to_timestamp(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Parses a timestamp, truncated to the target's precision."""
    unit = to_arrow_type(target).unit
    return pc.cast(map_distinct(_trimmed(values), _in_ticks(parse_timestamp, target, unit), pa.int64()), pa.timestamp(unit))


def text_to_ltz(values: Any, source: LogicalType, target: LogicalType, context: EvaluationContext) -> Any:
    """Parses a timestamp in the session's time zone."""
    return from_local(text_to_timestamp(values, source, target, context), context.time_zone)


def _in_ticks(parse: Callable[[str], int | None], target: LogicalType, unit: str) -> Callable[[str], int | None]:
    assert isinstance(target, PrecisionTimeType)
    nanos_per_tick = _NANOS // TICKS_PER_SECOND[unit]
    cut = 10 ** (9 - target.precision)

    def convert(text: str) -> int | None:
        nanos = parse(text)
        if nanos is None:
            return None
        ticks = nanos // cut * cut // nanos_per_tick
        return ticks if -(2**63) <= ticks < 2**63 else None

    return convert
