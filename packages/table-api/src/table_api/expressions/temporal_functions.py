"""Functions that create expressions of dates and times: the current time, formatting, parsing and differences."""

from __future__ import annotations

from table_api.expressions.expression import Expression
from table_api.expressions.node_holder import call_of
from table_api.expressions.symbols import TimePointUnit


def current_date() -> Expression:
    """Returns the current DATE in the session's time zone."""
    return Expression(call_of("CURRENT_DATE"))


def current_time() -> Expression:
    """Returns the current time of day in the session's time zone, as TIME(0)."""
    return Expression(call_of("CURRENT_TIME"))


def current_timestamp() -> Expression:
    """Returns the current instant, as TIMESTAMP_LTZ(3)."""
    return Expression(call_of("CURRENT_TIMESTAMP"))


def local_time() -> Expression:
    """Returns the current time of day in the session's time zone, as TIME(0)."""
    return Expression(call_of("LOCALTIME"))


def local_timestamp() -> Expression:
    """Returns the current date and time in the session's time zone, as TIMESTAMP(3)."""
    return Expression(call_of("LOCALTIMESTAMP"))


def current_watermark(rowtimeAttribute: object) -> Expression:  # noqa: N803  # PyFlink's name
    """Returns the current watermark of an event-time attribute; NULL before the first watermark."""
    return Expression(call_of("CURRENT_WATERMARK", rowtimeAttribute))


def source_watermark() -> Expression:
    """Returns the watermark of the source, for the watermark expression of a schema."""
    return Expression(call_of("SOURCE_WATERMARK"))


def temporal_overlaps(left_time_point: object, left_temporal: object, right_time_point: object, right_temporal: object) -> Expression:
    """Returns whether two time spans overlap; each has a start and an end, or a start and an interval."""
    return Expression(call_of("OVERLAPS", left_time_point, left_temporal, right_time_point, right_temporal))


def date_format(timestamp: object, format: object) -> Expression:
    """Formats a timestamp with a pattern such as ``yyyy-MM-dd``."""
    return Expression(call_of("DATE_FORMAT", timestamp, format))


def timestamp_diff(time_point_unit: TimePointUnit, time_point1: object, time_point2: object) -> Expression:
    """Returns the number of whole units from ``time_point1`` to ``time_point2``; negative if the latter is earlier."""
    return Expression(call_of("TIMESTAMPDIFF", time_point_unit, time_point1, time_point2))


def to_date(date_str: object, format: object = None) -> Expression:
    """Parses a DATE, by default ``yyyy-MM-dd``; NULL if the text does not match."""
    return Expression(call_of("TO_DATE", date_str, optional=[format]))


def to_timestamp(timestamp_str: object, format: object = None) -> Expression:
    """Parses a TIMESTAMP(3), by default ``yyyy-MM-dd HH:mm:ss``; NULL if the text does not match."""
    return Expression(call_of("TO_TIMESTAMP", timestamp_str, optional=[format]))


def to_timestamp_ltz(*args: object) -> Expression:
    """Converts epoch seconds (with a second argument 3: epoch milliseconds) or text to a TIMESTAMP_LTZ."""
    return Expression(call_of("TO_TIMESTAMP_LTZ", *args))


def from_unixtime(unixtime: object, format: object = None) -> Expression:
    """Formats epoch seconds in the session's time zone, by default as ``yyyy-MM-dd HH:mm:ss``."""
    return Expression(call_of("FROM_UNIXTIME", unixtime, optional=[format]))


def unix_timestamp(date_str: object = None, format: object = None) -> Expression:
    """Returns epoch seconds of now, or of text in the session's time zone."""
    return Expression(call_of("UNIX_TIMESTAMP", optional=[date_str, format]))


def convert_tz(date_str: object, tz_from: object, tz_to: object) -> Expression:
    """Converts date and time as text, ``yyyy-MM-dd HH:mm:ss``, from one time zone to another."""
    return Expression(call_of("CONVERT_TZ", date_str, tz_from, tz_to))
