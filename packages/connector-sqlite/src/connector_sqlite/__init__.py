"""The connector ``sqlite``: tables of SQLite databases. It depends on ``table_common`` only, like a third-party connector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from connector_sqlite.database import Database
    from connector_sqlite.factory import SqliteTableFactory
    from connector_sqlite.sink import SqliteTableSink
    from connector_sqlite.source import SqliteTableSource

__all__ = ["Database", "SqliteTableFactory", "SqliteTableSink", "SqliteTableSource"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "connector_sqlite.database": ("Database",),
        "connector_sqlite.factory": ("SqliteTableFactory",),
        "connector_sqlite.sink": ("SqliteTableSink",),
        "connector_sqlite.source": ("SqliteTableSource",),
    },
)
