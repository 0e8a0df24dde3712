"""Functions on dates, times, timestamps and intervals; those that read the clock are not deterministic."""

from __future__ import annotations

from table_common.functions.builtin.declarations import (
    BIGINT,
    DATETIME_FAMILY,
    INT,
    NUMERIC_FAMILY,
    STRING_FAMILY,
    TEMPORAL_FAMILY,
    TIME_UNIT,
    TIMESTAMP_FAMILY,
    nullable,
    returns,
    scalar,
    unit_of,
)
from table_common.functions.definition import BuiltInFunctionDefinition
from table_common.inference.argument_types import ArgumentTypeStrategy, family
from table_common.inference.input_strategies import no_arguments, or_, sig
from table_common.inference.temporal import current_watermark, epoch_timestamp, extracted, timestamp_added
from table_common.inference.type_strategies import explicit
from table_common.types.logical import (
    TIMESTAMPS,
    BigIntType,
    DateType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampKind,
    TimestampType,
    TimeType,
    VarCharType,
)
from table_common.types.symbols import TimeUnit

_FIELD = returns(BigIntType())
_TEXT_OR_NULL = nullable(VarCharType())
_ADDABLE_UNIT = unit_of(
    TimeUnit.NANOSECOND,
    TimeUnit.MICROSECOND,
    TimeUnit.MILLISECOND,
    TimeUnit.SECOND,
    TimeUnit.MINUTE,
    TimeUnit.HOUR,
    TimeUnit.DAY,
    TimeUnit.WEEK,
    TimeUnit.MONTH,
    TimeUnit.QUARTER,
    TimeUnit.YEAR,
)


def _clock(name: str, result: LogicalType, *aliases: str) -> BuiltInFunctionDefinition:
    return scalar(name, no_arguments(), explicit(result.not_null()), aliases=aliases, deterministic=False)


_DAY_FAMILY = family("DATE|TIMESTAMP", DateType, *TIMESTAMPS, default=TimestampType(3))


def _field(name: str, values: ArgumentTypeStrategy = _DAY_FAMILY) -> BuiltInFunctionDefinition:
    return scalar(name, sig(values), _FIELD)


CURRENT_DATE = _clock("CURRENT_DATE", DateType())
CURRENT_TIME = _clock("CURRENT_TIME", TimeType(0))
CURRENT_TIMESTAMP = _clock("CURRENT_TIMESTAMP", LocalZonedTimestampType(3))
NOW = _clock("NOW", LocalZonedTimestampType(3))
CURRENT_ROW_TIMESTAMP = _clock("CURRENT_ROW_TIMESTAMP", LocalZonedTimestampType(3))
LOCALTIME = _clock("LOCALTIME", TimeType(0))
LOCALTIMESTAMP = _clock("LOCALTIMESTAMP", TimestampType(3))
PROCTIME = scalar(
    "PROCTIME",
    no_arguments(),
    explicit(LocalZonedTimestampType(3, nullable=False, kind=TimestampKind.PROCTIME)),
    deterministic=False,
    gives_time_attribute=True,
)
SOURCE_WATERMARK = scalar("SOURCE_WATERMARK", no_arguments(), nullable(LocalZonedTimestampType(3)), deterministic=False)
CURRENT_WATERMARK = scalar("CURRENT_WATERMARK", sig(TIMESTAMP_FAMILY), current_watermark(), deterministic=False)

YEAR = _field("YEAR")
QUARTER = _field("QUARTER")
MONTH = _field("MONTH")
WEEK = _field("WEEK")
DAYOFYEAR = _field("DAYOFYEAR")
DAYOFMONTH = _field("DAYOFMONTH")
DAYOFWEEK = _field("DAYOFWEEK")
HOUR = _field("HOUR", DATETIME_FAMILY)
MINUTE = _field("MINUTE", DATETIME_FAMILY)
SECOND = _field("SECOND", DATETIME_FAMILY)
EXTRACT = scalar("EXTRACT", sig(TIME_UNIT, TEMPORAL_FAMILY), extracted(), renderer=lambda a: f"EXTRACT({a[0]} FROM {a[1]})")
"""``EXTRACT(unit, value)``."""

DATE_FORMAT = scalar("DATE_FORMAT", or_(sig(TIMESTAMP_FAMILY, STRING_FAMILY), sig(STRING_FAMILY, STRING_FAMILY)), _TEXT_OR_NULL)
TO_DATE = scalar("TO_DATE", sig(STRING_FAMILY, optional=[STRING_FAMILY]), nullable(DateType()))
TO_TIMESTAMP = scalar("TO_TIMESTAMP", sig(STRING_FAMILY, optional=[STRING_FAMILY]), nullable(TimestampType(3)))
TO_TIMESTAMP_LTZ = scalar(
    "TO_TIMESTAMP_LTZ",
    or_(sig(NUMERIC_FAMILY, optional=[INT]), sig(STRING_FAMILY, optional=[STRING_FAMILY, STRING_FAMILY])),
    epoch_timestamp(),
)
FROM_UNIXTIME = scalar("FROM_UNIXTIME", sig(BIGINT, optional=[STRING_FAMILY]), _TEXT_OR_NULL)
UNIX_TIMESTAMP = scalar("UNIX_TIMESTAMP", sig(optional=[STRING_FAMILY, STRING_FAMILY]), _FIELD, deterministic=False)
IN_SESSION_TIME_ZONE = frozenset({FROM_UNIXTIME, UNIX_TIMESTAMP})
"""Functions of numbers and texts whose results depend on the session's time zone; calls with TIMESTAMP_LTZ show it by their types."""
CONVERT_TZ = scalar("CONVERT_TZ", sig(STRING_FAMILY, STRING_FAMILY, STRING_FAMILY), _TEXT_OR_NULL)
TIMESTAMPADD = scalar("TIMESTAMPADD", sig(_ADDABLE_UNIT, INT, DATETIME_FAMILY), timestamp_added())
"""``TIMESTAMPADD(unit, count, value)``."""
TIMESTAMPDIFF = scalar("TIMESTAMPDIFF", sig(_ADDABLE_UNIT, DATETIME_FAMILY, DATETIME_FAMILY), returns(IntType()))
"""``TIMESTAMPDIFF(unit, from, to)``."""
