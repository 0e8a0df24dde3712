"""The connector ``jdbc``: tables of PostgreSQL, through ADBC and without a JVM. It depends on ``table_common`` only, like a third-party connector."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .catalog: JdbcCatalog
    .catalog_factory: JdbcCatalogFactory
    .database: Database
    .factory: JdbcTableFactory
    .sink: JdbcTableSink
    .source: JdbcTableSource
    """,
)
