"""Catalogs: identifiers, schemas, tables, and the SPI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.catalog.catalog import Catalog, CatalogDatabase
    from table_common.catalog.column import Column, ComputedColumn, MetadataColumn, PhysicalColumn
    from table_common.catalog.descriptor import CatalogDescriptor
    from table_common.catalog.function import CatalogFunction
    from table_common.catalog.identifiers import ObjectIdentifier, ObjectPath
    from table_common.catalog.model import CatalogModel
    from table_common.catalog.partition import CatalogPartition, CatalogPartitionSpec
    from table_common.catalog.path_text import parse_path
    from table_common.catalog.resolved_schema import (
        Constraint,
        ResolvedSchema,
        UniqueConstraint,
        WatermarkSpec,
    )
    from table_common.catalog.schema import Schema, UnresolvedColumn, UnresolvedPrimaryKey, UnresolvedWatermark
    from table_common.catalog.statistics import (
        CatalogColumnStatistics,
        CatalogColumnStatisticsData,
        CatalogColumnStatisticsDataBinary,
        CatalogColumnStatisticsDataBoolean,
        CatalogColumnStatisticsDataDate,
        CatalogColumnStatisticsDataDouble,
        CatalogColumnStatisticsDataLong,
        CatalogColumnStatisticsDataString,
        CatalogTableStatistics,
    )
    from table_common.catalog.store import CatalogStore
    from table_common.catalog.table import (
        CatalogBaseTable,
        CatalogTable,
        CatalogView,
        ResolvedCatalogTable,
        ResolvedCatalogView,
        TableDistribution,
    )

__all__ = [
    "Catalog",
    "CatalogBaseTable",
    "CatalogColumnStatistics",
    "CatalogColumnStatisticsData",
    "CatalogColumnStatisticsDataBinary",
    "CatalogColumnStatisticsDataBoolean",
    "CatalogColumnStatisticsDataDate",
    "CatalogColumnStatisticsDataDouble",
    "CatalogColumnStatisticsDataLong",
    "CatalogColumnStatisticsDataString",
    "CatalogDatabase",
    "CatalogDescriptor",
    "CatalogFunction",
    "CatalogModel",
    "CatalogPartition",
    "CatalogPartitionSpec",
    "CatalogStore",
    "CatalogTable",
    "CatalogTableStatistics",
    "CatalogView",
    "Column",
    "ComputedColumn",
    "Constraint",
    "MetadataColumn",
    "ObjectIdentifier",
    "ObjectPath",
    "PhysicalColumn",
    "ResolvedCatalogTable",
    "ResolvedCatalogView",
    "ResolvedSchema",
    "Schema",
    "TableDistribution",
    "UniqueConstraint",
    "UnresolvedColumn",
    "UnresolvedPrimaryKey",
    "UnresolvedWatermark",
    "WatermarkSpec",
    "parse_path",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.catalog.catalog": ("Catalog", "CatalogDatabase"),
        "table_common.catalog.column": ("Column", "ComputedColumn", "MetadataColumn", "PhysicalColumn"),
        "table_common.catalog.descriptor": ("CatalogDescriptor",),
        "table_common.catalog.function": ("CatalogFunction",),
        "table_common.catalog.identifiers": ("ObjectIdentifier", "ObjectPath"),
        "table_common.catalog.model": ("CatalogModel",),
        "table_common.catalog.partition": ("CatalogPartition", "CatalogPartitionSpec"),
        "table_common.catalog.path_text": ("parse_path",),
        "table_common.catalog.resolved_schema": (
            "Constraint",
            "ResolvedSchema",
            "UniqueConstraint",
            "WatermarkSpec",
        ),
        "table_common.catalog.schema": ("Schema", "UnresolvedColumn", "UnresolvedPrimaryKey", "UnresolvedWatermark"),
        "table_common.catalog.statistics": (
            "CatalogColumnStatistics",
            "CatalogColumnStatisticsData",
            "CatalogColumnStatisticsDataBinary",
            "CatalogColumnStatisticsDataBoolean",
            "CatalogColumnStatisticsDataDate",
            "CatalogColumnStatisticsDataDouble",
            "CatalogColumnStatisticsDataLong",
            "CatalogColumnStatisticsDataString",
            "CatalogTableStatistics",
        ),
        "table_common.catalog.store": ("CatalogStore",),
        "table_common.catalog.table": (
            "CatalogBaseTable",
            "CatalogTable",
            "CatalogView",
            "ResolvedCatalogTable",
            "ResolvedCatalogView",
            "TableDistribution",
        ),
    },
)
