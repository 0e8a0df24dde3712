"""The source: push-downs become parts of one query."""

from __future__ import annotations

from collections.abc import Sequence

from connector_jdbc.async_lookup import JdbcAsyncLookupFunction
from connector_jdbc.database import Database, quote_name
from connector_jdbc.lookup import JdbcLookupFunction
from connector_jdbc.postgres_types import INTEGERS, require_readable
from connector_jdbc.query import TableQuery
from connector_jdbc.reading import JdbcScanProvider, PartitionSettings
from connector_jdbc.sql_text import condition_sql, kind_of, operand_sql
from table_common.annotation import override
from table_common.connector import (
    AsyncLookupFunctionProvider,
    CacheReloadTrigger,
    FullCachingLookupProvider,
    LookupCache,
    LookupFunctionProvider,
    LookupTableSource,
    PartialCachingAsyncLookupProvider,
    PartialCachingLookupProvider,
    ScanTableSource,
)
from table_common.connector.source import TableStats
from table_common.connector.source.abilities import (
    SupportsAggregatePushDown,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsOrderedLimitPushDown,
    SupportsProjectionPushDown,
    SupportsStatisticReport,
)
from table_common.exceptions import ValidationException
from table_common.expressions import AggregateExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import EXACT_INTEGERS, DecimalType, RowField, RowType


@dataclass(frozen=True)
class LookupSettings:
    """The settings of lookups: ``caches_all`` caches the whole table, ``cache`` the rows of used keys."""

    max_retries: int = 3
    cache: LookupCache | None = None
    caches_all: bool = False
    reload_trigger: CacheReloadTrigger | None = None
    is_asynchronous: bool = False


@dataclass
class JdbcTableSource(
    ScanTableSource,
    LookupTableSource,
    SupportsFilterPushDown,
    SupportsProjectionPushDown,
    SupportsLimitPushDown,
    SupportsOrderedLimitPushDown,
    SupportsAggregatePushDown,
    SupportsStatisticReport,
):
    """Reads a table or view."""

    database: Database
    query: TableQuery
    partitions: PartitionSettings | None = None
    fetch_size: int = 0
    lookup: LookupSettings = LookupSettings()

    @override
    def as_summary_string(self) -> str:
        return f"jdbc({self.query.sql()})"

    @override
    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> SupportsFilterPushDown.Result:
        pairs = [(part, condition_sql(part, self.query.table)) for part in filters]
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
    def apply_ordered_limit(self, orders: Sequence[SupportsOrderedLimitPushDown.FieldOrder], limit: int) -> bool:
        fields = self.query.row_type.fields
        keys = [self._order_key(fields[order.position], order) for order in orders]
        if None in keys or self.query.grouping is not None:
            return False
        self.query = replace(self.query, order=tuple(filter(None, keys)), limit=limit)
        return True

    def _order_key(self, field: RowField, order: SupportsOrderedLimitPushDown.FieldOrder) -> str | None:
        operand = self._operand(field, ordered=True)
        if operand is None or kind_of(field.type) == "double":
            return None  # -0.0 and 0.0 are equal in PostgreSQL
        key = f"{operand}{'' if order.ascending else ' DESC'}"
        if self.query.table.columns[field.name].not_null:
            return key  # PostgreSQL then can use an index
        return f"{key} NULLS {'FIRST' if order.nulls_first else 'LAST'}"

    @override
    def apply_aggregates(
        self, grouping_sets: Sequence[Sequence[int]], aggregate_expressions: Sequence[AggregateExpression], produced_type: RowType
    ) -> bool:
        fields = self.query.row_type.fields
        grouping = [position for positions in grouping_sets for position in positions]
        if len(grouping_sets) > 1 or not all(self._operand(fields[position], grouped=True) for position in grouping):
            return False
        keys = tuple(self.query.columns[position] for position in grouping)
        results = produced_type.fields[len(grouping) :]
        aggregates = [self._aggregate(one, result) for one, result in zip(aggregate_expressions, results, strict=True)]
        if not all(aggregates):
            return False
        self.query = replace(self.query, columns=(*keys, *filter(None, aggregates)), row_type=produced_type, grouping=keys)
        return True

    @override
    def report_statistics(self) -> TableStats:
        rows = self.query.table.estimated_rows
        return TableStats(rows) if rows is not None and not self.query.conditions and self.query.grouping is None else TableStats.UNKNOWN

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> JdbcScanProvider:
        require_readable(self.query.row_type, self.query.table.shown)
        return JdbcScanProvider(self.database, self.query, self.partitions, self.fetch_size)

    @override
    def get_lookup_runtime_provider(self, context: LookupTableSource.LookupContext) -> LookupTableSource.LookupRuntimeProvider:
        require_readable(self.query.row_type, self.query.table.shown)
        if self.lookup.caches_all:
            return FullCachingLookupProvider(JdbcScanProvider(self.database, self.query), self.lookup.reload_trigger)
        keys: list[RowField] = []
        operands: list[str] = []
        for position in context.key_positions:
            field = self.query.row_type.fields[position]
            operand = self._operand(field)
            if operand is None or kind_of(field.type) == "double":
                raise ValidationException(
                    f"Rows of PostgreSQL's table '{self.query.table.shown}' cannot be looked up by column '{field.name}', which is {field.type}, "
                    f"and {self.query.table.columns[field.name].shown} in PostgreSQL.",
                    hint="'lookup.cache' = 'FULL' supports all types; without FOR SYSTEM_TIME AS OF the join is an ordinary one",
                )
            keys.append(field)
            operands.append(operand)
        function = JdbcLookupFunction(self.database, self.query, RowType(tuple(keys), nullable=False), tuple(operands))
        retries = self.lookup.max_retries
        if self.lookup.is_asynchronous:
            asynchronous = JdbcAsyncLookupFunction(function)
            if self.lookup.cache is not None:
                return PartialCachingAsyncLookupProvider(asynchronous, retries, cache=self.lookup.cache)
            return AsyncLookupFunctionProvider(asynchronous, retries)
        if self.lookup.cache is not None:
            return PartialCachingLookupProvider(function, retries, cache=self.lookup.cache)
        return LookupFunctionProvider(function, retries)

    def _operand(self, field: RowField, *, grouped: bool = False, ordered: bool = False) -> str | None:
        column = self.query.table.columns.get(field.name)
        if column is None or (grouped and (kind_of(field.type) == "double" or not column.is_deterministic)):
            return None  # PostgreSQL would put texts that its collation calls equal into one group
        return operand_sql(column, field.type, self.query.table, ordered=ordered)

    def _aggregate(self, aggregate: AggregateExpression, result: RowField) -> str | None:
        name = aggregate.function.name
        if aggregate.distinct or aggregate.filter is not None or name not in ("COUNT", "SUM", "MIN", "MAX"):
            return None
        if not aggregate.args:
            return "COUNT(*)" if name == "COUNT" else None
        (argument,) = aggregate.args
        if name == "COUNT":
            return f"COUNT({quote_name(argument.name)})"
        operand = self._operand(RowField(argument.name, argument.output_type), ordered=True)
        kind = kind_of(argument.output_type)
        if operand is None or kind in ("double", "boolean"):
            return None  # NaN is the greatest value in PostgreSQL, and the sum of floating-point numbers depends on their order
        if name == "SUM":
            return self._sum(f"SUM({operand})", result) if kind == "number" else None
        return f"{name}({operand}){self._cast(result) if kind == 'number' else ''}"

    def _sum(self, total: str, result: RowField) -> str:
        """Returns the sum as the type of the result. One that DECIMAL cannot hold is NULL, as in the engines; NaN stays, and so fails."""
        cast = f"{total}{self._cast(result)}"
        if not isinstance(result.type, DecimalType):
            return cast
        limit = f"1e{result.type.precision - result.type.scale}"
        return f"CASE WHEN abs({total}) >= {limit} AND {total} <> 'NaN' THEN NULL ELSE {cast} END"

    def _cast(self, result: RowField) -> str:
        """Returns the cast to the type of the result, which fails where the engine's own would overflow."""
        type_ = result.type
        if isinstance(type_, DecimalType):
            return f"::numeric({type_.precision},{type_.scale})"
        assert isinstance(type_, EXACT_INTEGERS)
        size = {"TINYINT": 2, "SMALLINT": 2, "INT": 4}.get(str(type_.not_null()).removesuffix(" NOT NULL"), 8)
        return f"::{next(name for name, width in INTEGERS.items() if width == size)}"
