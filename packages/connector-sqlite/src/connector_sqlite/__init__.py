"""The connector ``sqlite``: tables of SQLite databases. It depends on ``table_common`` only, like a third-party connector."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .database: Database
    .factory: SqliteTableFactory
    .sink: SqliteTableSink
    .source: SqliteTableSource
    """,
)
