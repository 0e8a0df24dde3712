"""The two families of intervals: months, and seconds with fractions."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types.logical.root import LogicalType


class YearMonthResolution(Enum):
    """The fields of a year–month interval.

    Source: Flink's ``org.apache.flink.table.types.logical.YearMonthIntervalType.YearMonthResolution``.

    Example:
        >>> YearMonthResolution.YEAR_TO_MONTH.value
        'YEAR TO MONTH'
    """

    YEAR = "YEAR"
    YEAR_TO_MONTH = "YEAR TO MONTH"
    MONTH = "MONTH"


class DayTimeResolution(Enum):
    """The fields of a day–time interval.

    Source: Flink's ``org.apache.flink.table.types.logical.DayTimeIntervalType.DayTimeResolution``.

    Example:
        >>> DayTimeResolution.DAY_TO_SECOND.value
        'DAY TO SECOND'
    """

    DAY = "DAY"
    DAY_TO_HOUR = "DAY TO HOUR"
    DAY_TO_MINUTE = "DAY TO MINUTE"
    DAY_TO_SECOND = "DAY TO SECOND"
    HOUR = "HOUR"
    HOUR_TO_MINUTE = "HOUR TO MINUTE"
    HOUR_TO_SECOND = "HOUR TO SECOND"
    MINUTE = "MINUTE"
    MINUTE_TO_SECOND = "MINUTE TO SECOND"
    SECOND = "SECOND"


@dataclass(frozen=True, slots=True)
class YearMonthIntervalType(LogicalType):
    """INTERVAL of years and months; its value is a number of months.

    Source: Flink's ``org.apache.flink.table.types.logical.YearMonthIntervalType``.

    Example:
        >>> str(YearMonthIntervalType())
        'INTERVAL YEAR(2) TO MONTH'
    """

    ROOT: ClassVar[str] = "INTERVAL_YEAR_MONTH"

    resolution: YearMonthResolution = YearMonthResolution.YEAR_TO_MONTH
    year_precision: int = 2

    def __post_init__(self) -> None:
        if not 1 <= self.year_precision <= 4:
            raise ValidationException(f"INTERVAL YEAR takes a precision from 1 to 4, but got {self.year_precision}.")

    def summary(self) -> str:
        match self.resolution:
            case YearMonthResolution.YEAR:
                return f"INTERVAL YEAR({self.year_precision})"
            case YearMonthResolution.YEAR_TO_MONTH:
                return f"INTERVAL YEAR({self.year_precision}) TO MONTH"
            case YearMonthResolution.MONTH:
                return "INTERVAL MONTH"


@dataclass(frozen=True, slots=True)
class DayTimeIntervalType(LogicalType):
    """INTERVAL of days to fractional seconds; its value is an exact duration.

    Source: Flink's ``org.apache.flink.table.types.logical.DayTimeIntervalType``.

    Example:
        >>> str(DayTimeIntervalType())
        'INTERVAL DAY(2) TO SECOND(6)'
    """

    ROOT: ClassVar[str] = "INTERVAL_DAY_TIME"

    resolution: DayTimeResolution = DayTimeResolution.DAY_TO_SECOND
    day_precision: int = 2
    fractional_precision: int = 6

    def __post_init__(self) -> None:
        if not 1 <= self.day_precision <= 6:
            raise ValidationException(f"INTERVAL DAY takes a precision from 1 to 6, but got {self.day_precision}.")
        if not 0 <= self.fractional_precision <= 9:
            raise ValidationException(f"INTERVAL SECOND takes a fractional precision from 0 to 9, but got {self.fractional_precision}.")

    def summary(self) -> str:
        first, _, last = self.resolution.value.partition(" TO ")
        text = f"INTERVAL {first}"
        if first == "DAY":
            text += f"({self.day_precision})"
        elif first == "SECOND":
            return f"{text}({self.fractional_precision})"
        if last:
            text += f" TO {last}"
            if last == "SECOND":
                text += f"({self.fractional_precision})"
        return text


INTERVALS: tuple[type[LogicalType], ...] = (YearMonthIntervalType, DayTimeIntervalType)
"""The types of intervals."""
