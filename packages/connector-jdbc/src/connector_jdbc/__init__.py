"""The connector ``jdbc``: tables of PostgreSQL, through ADBC and without a JVM. It depends on ``table_common`` only, like a third-party connector."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .catalog: JdbcCatalog
    .catalog_factory: JdbcCatalogFactory
    .database: Database Session
    .factory: JdbcTableFactory
    .failures: is_transient state_of
    .postgres_column: PostgresColumn
    .postgres_table: PostgresTable find_table
    .postgres_types: from_postgres require_storable select_sql
    .sink: JdbcTableSink
    .source: JdbcTableSource
    """,
)
