"""DATE, TIME and the timestamps. Precision counts the digits of fractional seconds."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, field
from table_common.types.logical.root import LogicalType


class TimestampKind(Enum):
    """Whether a timestamp column drives event time or processing time.

    Source: Flink's ``org.apache.flink.table.types.logical.TimestampKind``.

    Example:
        >>> str(TimestampType(3, kind=TimestampKind.ROWTIME))
        'TIMESTAMP(3) *ROWTIME*'
    """

    REGULAR = ""
    ROWTIME = " *ROWTIME*"
    PROCTIME = " *PROCTIME*"


@dataclass(frozen=True, slots=True)
class DateType(LogicalType):
    """DATE: a day of the proleptic Gregorian calendar.

    Source: Flink's ``org.apache.flink.table.types.logical.DateType``.

    Example:
        >>> str(DateType())
        'DATE'
    """

    ROOT: ClassVar[str] = "DATE"


@dataclass(frozen=True, slots=True)
class PrecisionTimeType(LogicalType):
    """The base of the types with fractional seconds.

    Example:
        >>> isinstance(TimeType(3), PrecisionTimeType), TimeType(3).precision
        (True, 3)
    """

    precision: int = 6

    def __post_init__(self) -> None:
        if not 0 <= self.precision <= 9:
            raise ValidationException(f"{self.ROOT} takes a precision from 0 to 9, but got {self.precision}.")


@dataclass(frozen=True, slots=True)
class TimeType(PrecisionTimeType):
    """TIME(precision): a time of day without a zone.

    Source: Flink's ``org.apache.flink.table.types.logical.TimeType``.

    Example:
        >>> str(TimeType(3))
        'TIME(3)'
    """

    ROOT: ClassVar[str] = "TIME"
    precision: int = 0

    def summary(self) -> str:
        return f"TIME({self.precision})"


@dataclass(frozen=True, slots=True)
class _KindedTimestampType(PrecisionTimeType):
    kind: TimestampKind = field(default=TimestampKind.REGULAR, kw_only=True)

    def __str__(self) -> str:
        return self.summary() + ("" if self.nullable else " NOT NULL") + self.kind.value


@dataclass(frozen=True, slots=True)
class TimestampType(_KindedTimestampType):
    """TIMESTAMP(precision): date and time of day without a zone.

    Source: Flink's ``org.apache.flink.table.types.logical.TimestampType``.

    Example:
        >>> str(TimestampType(3))
        'TIMESTAMP(3)'
    """

    ROOT: ClassVar[str] = "TIMESTAMP"

    def summary(self) -> str:
        return f"TIMESTAMP({self.precision})"


@dataclass(frozen=True, slots=True)
class LocalZonedTimestampType(_KindedTimestampType):
    """TIMESTAMP_LTZ(precision): an instant, shown in the session's time zone.

    Source: Flink's ``org.apache.flink.table.types.logical.LocalZonedTimestampType``.

    Example:
        >>> str(LocalZonedTimestampType(3))
        'TIMESTAMP_LTZ(3)'
    """

    ROOT: ClassVar[str] = "TIMESTAMP_LTZ"

    def summary(self) -> str:
        return f"TIMESTAMP_LTZ({self.precision})"


@dataclass(frozen=True, slots=True)
class ZonedTimestampType(PrecisionTimeType):
    """TIMESTAMP(precision) WITH TIME ZONE: an instant with the zone it was written in; planners refuse it.

    Source: Flink's ``org.apache.flink.table.types.logical.ZonedTimestampType``.

    Example:
        >>> str(ZonedTimestampType(3))
        'TIMESTAMP(3) WITH TIME ZONE'
    """

    ROOT: ClassVar[str] = "TIMESTAMP WITH TIME ZONE"

    def summary(self) -> str:
        return f"TIMESTAMP({self.precision}) WITH TIME ZONE"


TIMESTAMPS: tuple[type[LogicalType], ...] = (TimestampType, LocalZonedTimestampType)
"""The types of points in time."""
