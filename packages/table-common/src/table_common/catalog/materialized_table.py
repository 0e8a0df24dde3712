"""Materialized tables: tables whose rows are those of a query, which a job or a scheduler keeps fresh."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum
from types import MappingProxyType
from typing import Self

from table_common.catalog.table import CatalogTable
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, field, replace

_UNITS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400}
"""Seconds of each unit that a freshness may have."""
_NEXT_UNIT = {"SECOND": 60, "MINUTE": 60, "HOUR": 24, "DAY": 1}
"""How many of a unit make the next one: a schedule repeats within it."""

PARTITION_FIELDS = "partition.fields."
"""The beginning of the options ``partition.fields.<column>.date-formatter``, which say the partition of a time."""


class LogicalRefreshMode(Enum):
    """The refresh mode as the statement says it; AUTOMATIC if it does not.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogMaterializedTable.LogicalRefreshMode``.

    Example:
        >>> LogicalRefreshMode("AUTOMATIC").value
        'AUTOMATIC'
    """

    CONTINUOUS = "CONTINUOUS"
    FULL = "FULL"
    AUTOMATIC = "AUTOMATIC"


class RefreshMode(Enum):
    """How a materialized table is kept fresh: by a streaming job, or by batch jobs that overwrite it.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogMaterializedTable.RefreshMode``.

    Example:
        >>> RefreshMode("FULL").name
        'FULL'
    """

    CONTINUOUS = "CONTINUOUS"
    FULL = "FULL"


class RefreshStatus(Enum):
    """Whether a materialized table is refreshed: it is being created, it is, or it was suspended.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogMaterializedTable.RefreshStatus``.

    Example:
        >>> RefreshStatus("SUSPENDED").name
        'SUSPENDED'
    """

    INITIALIZING = "INITIALIZING"
    ACTIVATED = "ACTIVATED"
    SUSPENDED = "SUSPENDED"


@dataclass(frozen=True, slots=True)
class IntervalFreshness:
    """How old the rows of a materialized table may be: a number of seconds, minutes, hours or days.

    Source: Flink's ``org.apache.flink.table.catalog.IntervalFreshness``.

    Example:
        >>> str(IntervalFreshness(3, "MINUTE")), IntervalFreshness(3, "MINUTE").duration
        ("INTERVAL '3' MINUTE", datetime.timedelta(seconds=180))
    """

    interval: int
    unit: str

    def __post_init__(self) -> None:
        if self.unit not in _UNITS:
            raise ValidationException(
                f"A freshness is a number of {', '.join(f'{unit}S' for unit in _UNITS)}, but got INTERVAL '{self.interval}' {self.unit}."
            )
        if self.interval <= 0:
            raise ValidationException(f"A freshness must be positive, but got {self}.", hint="FRESHNESS = INTERVAL '1' MINUTE")

    @classmethod
    def of_duration(cls, duration: timedelta) -> Self:
        """Returns the freshness of a duration, in the largest unit that fits.

        Raises:
            ValidationException: it is not a positive number of seconds.
        """
        seconds = round(duration.total_seconds())
        unit = next((unit for unit in reversed(_UNITS) if seconds % _UNITS[unit] == 0), "SECOND")
        return cls(seconds // _UNITS[unit], unit)

    @property
    def duration(self) -> timedelta:
        """The freshness as a duration."""
        return timedelta(seconds=self.interval * _UNITS[self.unit])

    def check_schedule(self, where: str) -> None:
        """Checks that refreshes at this interval can be at the same times of each minute, hour or day, as the mode FULL needs it.

        Raises:
            ValidationException: they cannot; ``where`` names the table.
        """
        whole = _NEXT_UNIT[self.unit]
        if self.interval > whole or whole % self.interval or (self.interval == whole and self.unit != "DAY"):
            accepted = [str(n) for n in range(1, whole + 1) if whole % n == 0 and (n < whole or self.unit == "DAY")]
            raise ValidationException(
                f"In the refresh mode FULL, the freshness of {where} cannot be {self}: refreshes are at the same times of each day.",
                hint=f"numbers of {self.unit}S: {', '.join(accepted)}; or a larger unit, or REFRESH_MODE = CONTINUOUS",
            )

    def __str__(self) -> str:
        return f"INTERVAL '{self.interval}' {self.unit}"


@dataclass(frozen=True)
class CatalogMaterializedTable(CatalogTable):
    """A table whose rows are those of ``definition_query``, with what keeps it fresh.

    Differs from Flink: it is a ``CatalogTable``, so what reads tables reads it too.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogMaterializedTable``.

    Example:
        >>> from table_common.catalog import Schema
        >>> table = CatalogMaterializedTable(
        ...     Schema.new_builder().column("n", "BIGINT").build(), definition_query="SELECT COUNT(*) AS n FROM `c`.`d`.`t` AS `t`"
        ... )
        >>> table.refresh_status.name, table.with_refresh(RefreshStatus.SUSPENDED).refresh_status.name
        ('INITIALIZING', 'SUSPENDED')
    """

    definition_query: str = ""
    """SQL, with full names."""
    original_query: str = ""
    """The query as written."""
    freshness: IntervalFreshness = field(default_factory=lambda: IntervalFreshness(3, "MINUTE"))
    logical_refresh_mode: LogicalRefreshMode = LogicalRefreshMode.AUTOMATIC
    refresh_mode: RefreshMode = RefreshMode.CONTINUOUS
    refresh_status: RefreshStatus = RefreshStatus.INITIALIZING
    refresh_handler: Mapping[str, str] = field(default_factory=dict)
    """What finds the refreshes again: the name of the job of CONTINUOUS, its savepoint, the time of the last refresh."""

    def __post_init__(self) -> None:
        CatalogTable.__post_init__(self)
        object.__setattr__(self, "refresh_handler", MappingProxyType(dict(self.refresh_handler)))

    def with_refresh(self, status: RefreshStatus, handler: Mapping[str, str] | None = None) -> Self:
        """Returns the table with another status, and perhaps another handler."""
        kept = dict(self.refresh_handler if handler is None else handler)
        return replace(self, refresh_status=status, refresh_handler=kept, options=dict(self.options))


_DATE_PARTS = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}


def partition_of_time(pattern: str, time: datetime) -> str:
    """Returns the value of a partition column for a time, by the pattern of its ``date-formatter``.

    Raises:
        ValidationException: the pattern has letters other than yyyy, MM, dd, HH, mm and ss, outside of quotes.

    Example:
        >>> from datetime import datetime
        >>> partition_of_time("yyyy-MM-dd", datetime(2026, 3, 1, 12))
        '2026-03-01'
    """
    parts = []
    for part in re.finditer(r"'[^']*'|([A-Za-z])\1*|.", pattern, re.DOTALL):
        text = part[0]
        if text in _DATE_PARTS:
            parts.append(f"{time.year:04}" if text == "yyyy" else time.strftime(_DATE_PARTS[text]))
        elif text[0].isalpha() and text.isascii():
            raise ValidationException(
                f"'{pattern}' is not a pattern of a date: '{text}' is not known.", hint=f"accepted: {', '.join(_DATE_PARTS)}"
            )
        else:
            parts.append(text.strip("'") if text != "''" else "'")
    return "".join(parts)
