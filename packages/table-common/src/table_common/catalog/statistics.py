"""What is known of the rows of a table or partition: how many, how large, and which values its columns have.

Everything that is not known is None.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from types import MappingProxyType

from table_common.frozen_dataclass import dataclass, field

__all__ = [
    "CatalogColumnStatistics",
    "CatalogColumnStatisticsData",
    "CatalogColumnStatisticsDataBinary",
    "CatalogColumnStatisticsDataBoolean",
    "CatalogColumnStatisticsDataDate",
    "CatalogColumnStatisticsDataDouble",
    "CatalogColumnStatisticsDataLong",
    "CatalogColumnStatisticsDataString",
    "CatalogTableStatistics",
]


@dataclass(frozen=True, slots=True)
class CatalogTableStatistics:
    """The size of a table or partition: rows, files, bytes on disk, bytes of the values."""

    row_count: int | None = None
    file_count: int | None = None
    total_size: int | None = None
    raw_data_size: int | None = None
    properties: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "properties", MappingProxyType(dict(self.properties)))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.row_count, self.file_count, self.total_size, self.raw_data_size, dict(self.properties))


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsData:
    """What is known of one column; ``null_count`` is the number of rows without a value."""

    null_count: int | None = None

    @property
    def distinct_count(self) -> int | None:
        """How many different values there are, NULL not counted."""
        return None


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataBoolean(CatalogColumnStatisticsData):
    """Of a BOOLEAN column: how many rows are true, how many false."""

    true_count: int | None = None
    false_count: int | None = None

    @property
    def distinct_count(self) -> int | None:
        if self.true_count is None or self.false_count is None:
            return None
        return (self.true_count > 0) + (self.false_count > 0)


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataLong(CatalogColumnStatisticsData):
    """Of a column of integers; of other types without an order of numbers only ``ndv`` is known."""

    min: int | None = None
    max: int | None = None
    ndv: int | None = None

    @property
    def distinct_count(self) -> int | None:
        return self.ndv


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataDouble(CatalogColumnStatisticsData):
    """Of a column of FLOAT, DOUBLE or DECIMAL."""

    min: float | None = None
    max: float | None = None
    ndv: int | None = None

    @property
    def distinct_count(self) -> int | None:
        return self.ndv


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataString(CatalogColumnStatisticsData):
    """Of a column of text: lengths in characters."""

    max_length: int | None = None
    avg_length: float | None = None
    ndv: int | None = None

    @property
    def distinct_count(self) -> int | None:
        return self.ndv


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataDate(CatalogColumnStatisticsData):
    """Of a DATE column."""

    min: datetime.date | None = None
    max: datetime.date | None = None
    ndv: int | None = None

    @property
    def distinct_count(self) -> int | None:
        return self.ndv


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataBinary(CatalogColumnStatisticsData):
    """Of a column of bytes: lengths in bytes."""

    max_length: int | None = None
    avg_length: float | None = None


@dataclass(frozen=True, slots=True)
class CatalogColumnStatistics:
    """What is known of the columns of a table or partition, by name; a column that is not there is not known."""

    column_statistics_data: Mapping[str, CatalogColumnStatisticsData] = field(default_factory=dict, hash=False)
    properties: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "column_statistics_data", MappingProxyType(dict(self.column_statistics_data)))
        object.__setattr__(self, "properties", MappingProxyType(dict(self.properties)))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self.column_statistics_data), dict(self.properties))

    def updated(self, other: CatalogColumnStatistics) -> CatalogColumnStatistics:
        """Returns what ``other`` knows, and of the columns that it does not have what is known here."""
        return CatalogColumnStatistics(
            {**self.column_statistics_data, **other.column_statistics_data}, {**self.properties, **other.properties}
        )
