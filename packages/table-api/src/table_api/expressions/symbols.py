"""Keyword arguments of functions, under PyFlink's names."""

from __future__ import annotations

from enum import Enum


class TimeIntervalUnit(Enum):
    """Parts of points in time and of intervals."""

    YEAR = "YEAR"
    YEAR_TO_MONTH = "YEAR TO MONTH"
    QUARTER = "QUARTER"
    MONTH = "MONTH"
    WEEK = "WEEK"
    DAY = "DAY"
    DAY_TO_HOUR = "DAY TO HOUR"
    DAY_TO_MINUTE = "DAY TO MINUTE"
    DAY_TO_SECOND = "DAY TO SECOND"
    HOUR = "HOUR"
    SECOND = "SECOND"
    HOUR_TO_MINUTE = "HOUR TO MINUTE"
    HOUR_TO_SECOND = "HOUR TO SECOND"
    MINUTE = "MINUTE"
    MINUTE_TO_SECOND = "MINUTE TO SECOND"


class TimePointUnit(Enum):
    """Units in which the distance of two points in time is counted."""

    YEAR = "YEAR"
    MONTH = "MONTH"
    DAY = "DAY"
    HOUR = "HOUR"
    MINUTE = "MINUTE"
    SECOND = "SECOND"
    QUARTER = "QUARTER"
    WEEK = "WEEK"
    MILLISECOND = "MILLISECOND"
    MICROSECOND = "MICROSECOND"


class JsonType(Enum):
    """The kind of JSON that ``is_json`` tests for."""

    VALUE = "VALUE"
    SCALAR = "SCALAR"
    ARRAY = "ARRAY"
    OBJECT = "OBJECT"


class JsonExistsOnError(Enum):
    """The result of ``json_exists`` for invalid JSON or an invalid path."""

    TRUE = "TRUE"
    FALSE = "FALSE"
    UNKNOWN = "UNKNOWN"
    ERROR = "ERROR"


class JsonValueOnEmptyOrError(Enum):
    """What ``json_value`` gives where there is nothing, or something broken."""

    NULL = "NULL"
    ERROR = "ERROR"
    DEFAULT = "DEFAULT"


class JsonQueryWrapper(Enum):
    """Whether ``json_query`` wraps its result in an array."""

    WITHOUT_ARRAY = "WITHOUT_ARRAY"
    CONDITIONAL_ARRAY = "CONDITIONAL_ARRAY"
    UNCONDITIONAL_ARRAY = "UNCONDITIONAL_ARRAY"


class JsonQueryOnEmptyOrError(Enum):
    """What ``json_query`` gives where there is nothing, or something broken."""

    NULL = "NULL"
    EMPTY_ARRAY = "EMPTY_ARRAY"
    EMPTY_OBJECT = "EMPTY_OBJECT"
    ERROR = "ERROR"


class JsonOnNull(Enum):
    """How NULL values are written: as null, or not at all."""

    NULL = "NULL_ON_NULL"
    ABSENT = "ABSENT_ON_NULL"
