"""Statistics of a table or partition: row count, sizes, and the values of its columns.

An unknown value is None.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from types import MappingProxyType
from typing import Self

from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class CatalogTableStatistics:
    """The size of a table or partition: rows, files, bytes on disk, bytes of the values.

    Source: Flink's ``org.apache.flink.table.catalog.stats.CatalogTableStatistics``.

    Example:
        >>> CatalogTableStatistics(row_count=1_000).row_count
        1000
    """

    row_count: int | None = None
    file_count: int | None = None
    total_size: int | None = None
    raw_data_size: int | None = None
    properties: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "properties", MappingProxyType(dict(self.properties)))

    def get_row_count(self) -> int:
        """Returns the number of rows; -1 if it is not known."""
        return _or_unknown(self.row_count)

    def get_field_count(self) -> int:
        """Returns the number of files, under PyFlink's name; -1 if it is not known."""
        return _or_unknown(self.file_count)

    def get_total_size(self) -> int:
        """Returns the size on disk in bytes; -1 if it is not known."""
        return _or_unknown(self.total_size)

    def get_raw_data_size(self) -> int:
        """Returns the size of the values in memory in bytes; -1 if it is not known."""
        return _or_unknown(self.raw_data_size)

    def get_properties(self) -> dict[str, str]:
        """Returns the properties."""
        return dict(self.properties)

    def copy(self) -> Self:
        """Returns the statistics themselves: they cannot be changed."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.row_count, self.file_count, self.total_size, self.raw_data_size, dict(self.properties))


def _or_unknown(count: int | None) -> int:
    """Returns a count as Flink's getters do."""
    return -1 if count is None else count


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsData:
    """The statistics of one column; ``null_count`` is the number of rows where it is NULL.

    Source: Flink's ``org.apache.flink.table.catalog.stats.CatalogColumnStatisticsDataBase``.

    Example:
        >>> CatalogColumnStatisticsData(null_count=3).distinct_count is None
        True
    """

    null_count: int | None = None

    @property
    def distinct_count(self) -> int | None:
        """The number of distinct values, NULL not counted."""
        return None


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataBoolean(CatalogColumnStatisticsData):
    """Statistics of a BOOLEAN column: the numbers of true and of false rows.

    Source: Flink's ``org.apache.flink.table.catalog.stats.CatalogColumnStatisticsDataBoolean``.

    Example:
        >>> CatalogColumnStatisticsDataBoolean(null_count=0, true_count=5, false_count=0).distinct_count
        1
    """

    true_count: int | None = None
    false_count: int | None = None

    @property
    def distinct_count(self) -> int | None:
        if self.true_count is None or self.false_count is None:
            return None
        return (self.true_count > 0) + (self.false_count > 0)


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataLong(CatalogColumnStatisticsData):
    """Statistics of a column of integers; also of other types, with only ``ndv`` set.

    Source: Flink's ``org.apache.flink.table.catalog.stats.CatalogColumnStatisticsDataLong``.

    Example:
        >>> CatalogColumnStatisticsDataLong(null_count=0, min=1, max=9, ndv=5).distinct_count
        5
    """

    min: int | None = None
    max: int | None = None
    ndv: int | None = None

    @property
    def distinct_count(self) -> int | None:
        return self.ndv


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataDouble(CatalogColumnStatisticsData):
    """Statistics of a FLOAT, DOUBLE or DECIMAL column.

    Source: Flink's ``org.apache.flink.table.catalog.stats.CatalogColumnStatisticsDataDouble``.

    Example:
        >>> CatalogColumnStatisticsDataDouble(null_count=0, min=0.5, max=9.0, ndv=5).max
        9.0
    """

    min: float | None = None
    max: float | None = None
    ndv: int | None = None

    @property
    def distinct_count(self) -> int | None:
        return self.ndv


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataString(CatalogColumnStatisticsData):
    """Statistics of a character column: lengths in characters.

    Source: Flink's ``org.apache.flink.table.catalog.stats.CatalogColumnStatisticsDataString``.

    Example:
        >>> CatalogColumnStatisticsDataString(null_count=0, max_length=20, avg_length=7.5, ndv=5).avg_length
        7.5
    """

    max_length: int | None = None
    avg_length: float | None = None
    ndv: int | None = None

    @property
    def distinct_count(self) -> int | None:
        return self.ndv


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataDate(CatalogColumnStatisticsData):
    """Statistics of a DATE column.

    Source: Flink's ``org.apache.flink.table.catalog.stats.CatalogColumnStatisticsDataDate``.

    Example:
        >>> CatalogColumnStatisticsDataDate(null_count=0, min=datetime.date(2026, 1, 1), max=datetime.date(2026, 1, 31), ndv=31).max
        datetime.date(2026, 1, 31)
    """

    min: datetime.date | None = None
    max: datetime.date | None = None
    ndv: int | None = None

    @property
    def distinct_count(self) -> int | None:
        return self.ndv


@dataclass(frozen=True, slots=True)
class CatalogColumnStatisticsDataBinary(CatalogColumnStatisticsData):
    """Statistics of a binary column: lengths in bytes.

    Source: Flink's ``org.apache.flink.table.catalog.stats.CatalogColumnStatisticsDataBinary``.

    Example:
        >>> CatalogColumnStatisticsDataBinary(null_count=0, max_length=16, avg_length=16.0).max_length
        16
    """

    max_length: int | None = None
    avg_length: float | None = None


@dataclass(frozen=True, slots=True)
class CatalogColumnStatistics:
    """Column statistics of a table or partition by column name; a missing column has no statistics.

    Source: Flink's ``org.apache.flink.table.catalog.stats.CatalogColumnStatistics``.

    Example:
        >>> known = CatalogColumnStatistics({"id": CatalogColumnStatisticsDataLong(ndv=5)})
        >>> known.updated(CatalogColumnStatistics({"id": CatalogColumnStatisticsDataLong(ndv=6)})).column_statistics_data["id"].ndv
        6
    """

    column_statistics_data: Mapping[str, CatalogColumnStatisticsData] = field(default_factory=dict, hash=False)
    properties: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "column_statistics_data", MappingProxyType(dict(self.column_statistics_data)))
        object.__setattr__(self, "properties", MappingProxyType(dict(self.properties)))

    def get_column_statistics_data(self) -> dict[str, CatalogColumnStatisticsData]:
        """Returns the statistics by column."""
        return dict(self.column_statistics_data)

    def get_properties(self) -> dict[str, str]:
        """Returns the properties."""
        return dict(self.properties)

    def copy(self) -> Self:
        """Returns the statistics themselves: they cannot be changed."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self.column_statistics_data), dict(self.properties))

    def updated(self, other: CatalogColumnStatistics) -> CatalogColumnStatistics:
        """Returns the statistics of ``other``, with these statistics for the columns that ``other`` does not have."""
        return CatalogColumnStatistics(
            {**self.column_statistics_data, **other.column_statistics_data}, {**self.properties, **other.properties}
        )
