"""How a session finds catalogs, tables, views, functions and modules."""

from table_api.catalog.catalog_manager import CatalogDescriptor, CatalogManager
from table_api.catalog.function_catalog import FunctionCatalog
from table_api.catalog.in_memory_catalog import GenericInMemoryCatalog, GenericInMemoryCatalogFactory
from table_api.catalog.module_manager import ModuleEntry, ModuleManager
from table_api.catalog.query_view import QueryOperationCatalogView
from table_api.catalog.schema_resolution import ExpressionResolver, SchemaResolver

__all__ = [
    "CatalogDescriptor",
    "CatalogManager",
    "ExpressionResolver",
    "FunctionCatalog",
    "GenericInMemoryCatalog",
    "GenericInMemoryCatalogFactory",
    "ModuleEntry",
    "ModuleManager",
    "QueryOperationCatalogView",
    "SchemaResolver",
]
