"""The source: push-downs become parts of one query."""

from __future__ import annotations

from connector_sqlite.database import Database
from connector_sqlite.lookup import SqliteLookupFunction
from connector_sqlite.reading import SqliteScanProvider
from connector_sqlite.sqlite_table import SqliteTable
from table_common.annotation import override
from table_common.connector import LookupSettings, ScanTableSource
from table_common.connector.sql import SqlQuery, SqlTableSource
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType


@dataclass
class SqliteTableSource(SqlTableSource):
    """Reads a table or view."""

    database: Database
    query: SqlQuery[SqliteTable]
    partitions: int = 1
    lookup: LookupSettings = LookupSettings()

    @override
    def as_summary_string(self) -> str:
        return f"sqlite({self.query.sql()})"

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> SqliteScanProvider:
        return SqliteScanProvider(self.database, self.query, self.partitions)

    @override
    def whole_table(self) -> SqliteScanProvider:
        return SqliteScanProvider(self.database, self.query)

    @override
    def lookup_function(self, keys: RowType, operands: tuple[str, ...]) -> SqliteLookupFunction:
        return SqliteLookupFunction(self.database, self.query, keys.fields)
