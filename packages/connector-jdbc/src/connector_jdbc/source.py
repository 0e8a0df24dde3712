"""The source: push-downs become parts of one query."""

from __future__ import annotations

from collections.abc import Sequence

from connector_jdbc.async_lookup import JdbcAsyncLookupFunction
from connector_jdbc.database import Database
from connector_jdbc.lookup import JdbcLookupFunction
from connector_jdbc.postgres_table import PostgresTable
from connector_jdbc.postgres_types import require_readable
from connector_jdbc.reading import JdbcScanProvider, PartitionSettings
from table_common.annotation import override
from table_common.connector import AsyncLookupFunction, LookupFunction, LookupSettings, LookupTableSource, ScanTableSource
from table_common.connector.source import TableStats
from table_common.connector.source.abilities import SupportsOrderedLimitPushDown, SupportsStatisticReport
from table_common.connector.sql import SqlQuery, SqlTableSource
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import RowField, RowType


@dataclass
class JdbcTableSource(SqlTableSource, SupportsOrderedLimitPushDown, SupportsStatisticReport):
    """Reads a table or view."""

    database: Database
    query: SqlQuery[PostgresTable]
    partitions: PartitionSettings | None = None
    fetch_size: int = 0
    lookup: LookupSettings = LookupSettings()
    looks_up_asynchronously: bool = False

    @override
    def as_summary_string(self) -> str:
        return f"jdbc({self.query.sql()})"

    @override
    def apply_ordered_limit(self, orders: Sequence[SupportsOrderedLimitPushDown.FieldOrder], limit: int) -> bool:
        fields = self.query.row_type.fields
        keys = [self._order_key(fields[order.position], order) for order in orders]
        if None in keys or self.query.grouping is not None:
            return False
        self.query = replace(self.query, order=tuple(filter(None, keys)), limit=limit)
        return True

    def _order_key(self, field: RowField, order: SupportsOrderedLimitPushDown.FieldOrder) -> str | None:
        operand = self.query.table.operand(field.name, field.type, ordered=True)
        if operand is None or self.query.table.kind_of(field.type) == "double":
            return None  # -0.0 and 0.0 are equal in PostgreSQL
        key = f"{operand}{'' if order.ascending else ' DESC'}"
        if self.query.table.columns[field.name].not_null:
            return key  # PostgreSQL then can use an index
        return f"{key} NULLS {'FIRST' if order.nulls_first else 'LAST'}"

    @override
    def report_statistics(self) -> TableStats:
        rows = self.query.table.estimated_rows
        return TableStats(rows) if rows is not None and not self.query.conditions and self.query.grouping is None else TableStats.UNKNOWN

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> JdbcScanProvider:
        require_readable(self.query.row_type, self.query.table.shown)
        return JdbcScanProvider(self.database, self.query, self.partitions, self.fetch_size)

    @override
    def whole_table(self) -> JdbcScanProvider:
        return JdbcScanProvider(self.database, self.query)

    @override
    def get_lookup_runtime_provider(self, context: LookupTableSource.LookupContext) -> LookupTableSource.LookupRuntimeProvider:
        require_readable(self.query.row_type, self.query.table.shown)
        return super().get_lookup_runtime_provider(context)

    @override
    def lookup_function(self, keys: RowType, operands: tuple[str, ...]) -> LookupFunction | AsyncLookupFunction:
        function = JdbcLookupFunction(self.database, self.query, keys, operands)
        return JdbcAsyncLookupFunction(function) if self.looks_up_asynchronously else function
