"""Converts the statistics of a catalog to those that sources report."""

from __future__ import annotations

from table_common.catalog import (
    Catalog,
    CatalogColumnStatisticsData,
    CatalogColumnStatisticsDataDate,
    CatalogColumnStatisticsDataDouble,
    CatalogColumnStatisticsDataLong,
    CatalogColumnStatisticsDataString,
    ObjectPath,
)
from table_common.connector.source import ColumnStats, TableStats


def known_statistics(catalog: Catalog, path: ObjectPath) -> TableStats:
    """Returns the statistics of a table in its catalog, such as those of ANALYZE TABLE; unknown values are None."""
    size = catalog.get_table_statistics(path)
    columns = catalog.get_table_column_statistics(path).column_statistics_data
    return TableStats(size.row_count, {name: _column(data) for name, data in columns.items()})


def _column(data: CatalogColumnStatisticsData) -> ColumnStats:
    match data:
        case CatalogColumnStatisticsDataLong() | CatalogColumnStatisticsDataDouble() | CatalogColumnStatisticsDataDate():
            return ColumnStats(data.ndv, data.null_count, min=data.min, max=data.max)
        case CatalogColumnStatisticsDataString():
            return ColumnStats(data.ndv, data.null_count, data.avg_length, data.max_length)
        case _:
            return ColumnStats(data.distinct_count, data.null_count)
