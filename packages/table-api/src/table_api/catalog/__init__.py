"""Catalogs of a session, and lookup of tables, views, functions, models and modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.catalog.catalog_manager import CatalogManager
    from table_api.catalog.catalog_stores import (
        FileCatalogStore,
        FileCatalogStoreFactory,
        GenericInMemoryCatalogStore,
        GenericInMemoryCatalogStoreFactory,
    )
    from table_api.catalog.foreign_catalogs import HiveCatalog, JdbcCatalog, Procedure
    from table_api.catalog.function_catalog import FunctionCatalog
    from table_api.catalog.in_memory_catalog import GenericInMemoryCatalog
    from table_api.catalog.in_memory_catalog_factory import GenericInMemoryCatalogFactory
    from table_api.catalog.models import ModelCatalog
    from table_api.catalog.module_manager import ModuleEntry, ModuleManager
    from table_api.catalog.query_view import QueryOperationCatalogView
    from table_api.catalog.schema_resolution import ExpressionResolver, SchemaResolver
    from table_api.catalog.sqlite_catalog import SqliteCatalog
    from table_api.catalog.sqlite_catalog_factory import SqliteCatalogFactory
    from table_common.catalog import (
        Catalog,
        CatalogBaseTable,
        CatalogColumnStatistics,
        CatalogDatabase,
        CatalogDescriptor,
        CatalogFunction,
        CatalogModel,
        CatalogPartition,
        CatalogPartitionSpec,
        CatalogTableStatistics,
        Column,
        ComputedColumn,
        Constraint,
        MetadataColumn,
        ObjectIdentifier,
        ObjectPath,
        PhysicalColumn,
        ResolvedSchema,
        UniqueConstraint,
        WatermarkSpec,
    )

__all__ = [
    "Catalog",
    "CatalogBaseTable",
    "CatalogColumnStatistics",
    "CatalogDatabase",
    "CatalogDescriptor",
    "CatalogFunction",
    "CatalogManager",
    "CatalogModel",
    "CatalogPartition",
    "CatalogPartitionSpec",
    "CatalogTableStatistics",
    "Column",
    "ComputedColumn",
    "Constraint",
    "ExpressionResolver",
    "FileCatalogStore",
    "FileCatalogStoreFactory",
    "FunctionCatalog",
    "GenericInMemoryCatalog",
    "GenericInMemoryCatalogFactory",
    "GenericInMemoryCatalogStore",
    "GenericInMemoryCatalogStoreFactory",
    "HiveCatalog",
    "JdbcCatalog",
    "MetadataColumn",
    "ModelCatalog",
    "ModuleEntry",
    "ModuleManager",
    "ObjectIdentifier",
    "ObjectPath",
    "PhysicalColumn",
    "Procedure",
    "QueryOperationCatalogView",
    "ResolvedSchema",
    "SchemaResolver",
    "SqliteCatalog",
    "SqliteCatalogFactory",
    "UniqueConstraint",
    "WatermarkSpec",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.catalog.catalog_manager": ("CatalogManager",),
        "table_api.catalog.catalog_stores": (
            "FileCatalogStore",
            "FileCatalogStoreFactory",
            "GenericInMemoryCatalogStore",
            "GenericInMemoryCatalogStoreFactory",
        ),
        "table_api.catalog.foreign_catalogs": ("HiveCatalog", "JdbcCatalog", "Procedure"),
        "table_api.catalog.function_catalog": ("FunctionCatalog",),
        "table_api.catalog.in_memory_catalog": ("GenericInMemoryCatalog",),
        "table_api.catalog.in_memory_catalog_factory": ("GenericInMemoryCatalogFactory",),
        "table_api.catalog.models": ("ModelCatalog",),
        "table_api.catalog.module_manager": ("ModuleEntry", "ModuleManager"),
        "table_api.catalog.query_view": ("QueryOperationCatalogView",),
        "table_api.catalog.schema_resolution": ("ExpressionResolver", "SchemaResolver"),
        "table_api.catalog.sqlite_catalog": ("SqliteCatalog",),
        "table_api.catalog.sqlite_catalog_factory": ("SqliteCatalogFactory",),
        "table_common.catalog": (
            "Catalog",
            "CatalogBaseTable",
            "CatalogColumnStatistics",
            "CatalogDatabase",
            "CatalogDescriptor",
            "CatalogFunction",
            "CatalogModel",
            "CatalogPartition",
            "CatalogPartitionSpec",
            "CatalogTableStatistics",
            "Column",
            "ComputedColumn",
            "Constraint",
            "MetadataColumn",
            "ObjectIdentifier",
            "ObjectPath",
            "PhysicalColumn",
            "ResolvedSchema",
            "UniqueConstraint",
            "WatermarkSpec",
        ),
    },
)
