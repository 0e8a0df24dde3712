"""The connector ``jdbc``: tables of PostgreSQL, through ADBC and without a JVM. It depends on ``table_common`` only, like a third-party connector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from connector_jdbc.catalog import JdbcCatalog
    from connector_jdbc.catalog_factory import JdbcCatalogFactory
    from connector_jdbc.database import Database
    from connector_jdbc.factory import JdbcTableFactory
    from connector_jdbc.sink import JdbcTableSink
    from connector_jdbc.source import JdbcTableSource

__all__ = ["Database", "JdbcCatalog", "JdbcCatalogFactory", "JdbcTableFactory", "JdbcTableSink", "JdbcTableSource"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "connector_jdbc.catalog": ("JdbcCatalog",),
        "connector_jdbc.catalog_factory": ("JdbcCatalogFactory",),
        "connector_jdbc.database": ("Database",),
        "connector_jdbc.factory": ("JdbcTableFactory",),
        "connector_jdbc.sink": ("JdbcTableSink",),
        "connector_jdbc.source": ("JdbcTableSource",),
    },
)
