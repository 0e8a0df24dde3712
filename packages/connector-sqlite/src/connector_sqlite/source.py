"""The source: push-downs become parts of one query."""

from __future__ import annotations

from collections.abc import Sequence

from connector_sqlite.comparing import StoredColumns, operand_sql
from connector_sqlite.database import Database, quote_name
from connector_sqlite.lookup import SqliteLookupFunction
from connector_sqlite.query import TableQuery
from connector_sqlite.reading import SqliteScanProvider
from connector_sqlite.sql_text import condition_sql
from table_common.annotation import override
from table_common.connector import (
    CacheReloadTrigger,
    FullCachingLookupProvider,
    LookupCache,
    LookupFunctionProvider,
    LookupTableSource,
    PartialCachingLookupProvider,
    ScanTableSource,
)
from table_common.connector.source.abilities import (
    SupportsAggregatePushDown,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsProjectionPushDown,
)
from table_common.exceptions import ValidationException
from table_common.expressions import AggregateExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import EXACT_INTEGERS, RowField, RowType, VarCharType


@dataclass(frozen=True)
class LookupSettings:
    """The settings of lookups: ``caches_all`` caches the whole table, ``cache`` the rows of used keys."""

    max_retries: int = 3
    cache: LookupCache | None = None
    caches_all: bool = False
    reload_trigger: CacheReloadTrigger | None = None


@dataclass
class SqliteTableSource(
    ScanTableSource, LookupTableSource, SupportsFilterPushDown, SupportsProjectionPushDown, SupportsLimitPushDown, SupportsAggregatePushDown
):
    """Reads a table or view."""

    database: Database
    query: TableQuery
    columns: StoredColumns
    partitions: int = 1
    lookup: LookupSettings = LookupSettings()

    @override
    def as_summary_string(self) -> str:
        return f"sqlite({self.query.sql()})"

    @override
    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> SupportsFilterPushDown.Result:
        pairs = [(part, condition_sql(part, self.columns)) for part in filters]
        self.query = replace(self.query, conditions=tuple(text for _, text in pairs if text is not None))
        return SupportsFilterPushDown.Result(
            tuple(part for part, text in pairs if text is not None), tuple(part for part, text in pairs if text is None)
        )

    @override
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        columns = tuple(self.query.columns[path[0]] for path in projected_fields)
        self.query = replace(self.query, columns=columns, row_type=produced_type)

    @override
    def apply_limit(self, limit: int) -> None:
        self.query = replace(self.query, limit=limit)

    @override
    def apply_aggregates(
        self, grouping_sets: Sequence[Sequence[int]], aggregate_expressions: Sequence[AggregateExpression], produced_type: RowType
    ) -> bool:
        fields = self.query.row_type.fields
        grouping = [position for positions in grouping_sets for position in positions]
        if len(grouping_sets) > 1 or not all(self.columns.compares(fields[position].name, fields[position].type) for position in grouping):
            return False
        # A column's own collation could treat different texts as equal, and merge their groups.
        keys = tuple(f"{operand_sql(fields[position].name, fields[position].type)} COLLATE BINARY" for position in grouping)
        aggregates = [_aggregate_sql(aggregate, self.columns) for aggregate in aggregate_expressions]
        if not all(aggregates):
            return False
        columns = (*(quote_name(fields[position].name) for position in grouping), *filter(None, aggregates))
        self.query = replace(self.query, columns=columns, row_type=produced_type, grouping=keys)
        return True

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> SqliteScanProvider:
        return SqliteScanProvider(self.database, self.query, self.partitions)

    @override
    def get_lookup_runtime_provider(self, context: LookupTableSource.LookupContext) -> LookupTableSource.LookupRuntimeProvider:
        if self.lookup.caches_all:
            return FullCachingLookupProvider(SqliteScanProvider(self.database, self.query), self.lookup.reload_trigger)
        keys: list[RowField] = []
        for position in context.key_positions:
            field = self.query.row_type.fields[position]
            if not self.columns.identifies(field.name, field.type):
                raise ValidationException(
                    f"Rows of SQLite's table '{self.query.table}' are looked up by integers, booleans, and text that SQLite stores as text, "
                    f"but {self.columns.kept_as(field.name, field.type)}.",
                    hint="'lookup.cache' = 'FULL' supports all types; without FOR SYSTEM_TIME AS OF the join is an ordinary one",
                )
            keys.append(field)
        function = SqliteLookupFunction(self.database, self.query, tuple(keys))
        retries, delay = self.lookup.max_retries, self.database.retry_delay
        if self.lookup.cache is not None:
            return PartialCachingLookupProvider(function, retries, delay, self.lookup.cache)
        return LookupFunctionProvider(function, retries, delay)


def _aggregate_sql(aggregate: AggregateExpression, columns: StoredColumns) -> str | None:
    name = aggregate.function.name
    if aggregate.distinct or aggregate.filter is not None or name not in ("COUNT", "SUM", "MIN", "MAX"):
        return None
    if not aggregate.args:
        return "COUNT(*)" if name == "COUNT" else None
    (argument,) = aggregate.args
    column = quote_name(argument.name)
    if name == "COUNT":
        return f"COUNT({column})"
    if not columns.orders(argument.name, argument.output_type):
        return None
    if name == "SUM":
        # The sum of floating-point numbers depends on their order.
        return f"SUM({column})" if isinstance(argument.output_type, EXACT_INTEGERS) else None
    collation = " COLLATE BINARY" if isinstance(argument.output_type, VarCharType) else ""
    return f"{name}({column}{collation})"
