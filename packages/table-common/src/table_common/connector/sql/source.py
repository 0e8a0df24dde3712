"""What sources of SQL databases share: push-downs become parts of one query."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from table_common.annotation import override
from table_common.connector.source import ScanTableSource
from table_common.connector.source.abilities import (
    SupportsAggregatePushDown,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsProjectionPushDown,
)
from table_common.connector.source.lookup import LookupTableSource
from table_common.connector.source.lookup_function import AsyncLookupFunction, LookupFunction
from table_common.connector.source.lookup_providers import FullCachingLookupProvider
from table_common.connector.source.lookup_settings import LookupSettings
from table_common.connector.sql.conditions import condition_sql
from table_common.connector.sql.query import SqlQuery
from table_common.exceptions import ValidationException
from table_common.expressions import AggregateExpression, ResolvedExpression
from table_common.frozen_dataclass import replace
from table_common.types import RowField, RowType


class SqlTableSource(
    ScanTableSource, LookupTableSource, SupportsFilterPushDown, SupportsProjectionPushDown, SupportsLimitPushDown, SupportsAggregatePushDown
):
    """Reads a table of a SQL database. A subclass is a dataclass with ``query`` and ``lookup`` among its fields.

    Source: Flink's ``org.apache.flink.connector.jdbc.core.table.source.JdbcDynamicTableSource``.

    Example:
        >>> from table_common.connector.sql import SqlTable
        >>> from table_common.types import parse_logical_type
        >>> class People(SqlTable):
        ...     name = "people"
        ...     def operand(self, name, type_, *, ordered=False):
        ...         return self.quoted(name)
        >>> class Source(SqlTableSource):
        ...     query = SqlQuery.of(People(), parse_logical_type("ROW<id INT, name STRING> NOT NULL"))
        ...     get_scan_runtime_provider = whole_table = lookup_function = None
        >>> source = Source()
        >>> source.apply_limit(3)
        >>> source.query.sql()
        'SELECT "id", "name" FROM "people" LIMIT 3'
    """

    query: SqlQuery[Any]
    lookup: LookupSettings

    @abstractmethod
    def whole_table(self) -> ScanTableSource.ScanRuntimeProvider:
        """Returns the provider that reads the query for a cache of the whole table."""

    @abstractmethod
    def lookup_function(self, keys: RowType, operands: tuple[str, ...]) -> LookupFunction | AsyncLookupFunction:
        """Returns the function that looks rows of the query up by columns, which are also given as operands of comparisons."""

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
    def apply_aggregates(
        self, grouping_sets: Sequence[Sequence[int]], aggregate_expressions: Sequence[AggregateExpression], produced_type: RowType
    ) -> bool:
        if len(grouping_sets) > 1:
            return False
        query, positions = self.query, [position for grouping in grouping_sets for position in grouping]
        fields, columns = [query.row_type.fields[position] for position in positions], [query.columns[position] for position in positions]
        keys = [query.table.group_key(field.name, field.type, column) for field, column in zip(fields, columns, strict=True)]
        results = produced_type.fields[len(keys) :]
        aggregates = [self._aggregate(one, result) for one, result in zip(aggregate_expressions, results, strict=True)]
        if not all((*keys, *aggregates)):
            return False
        self.query = replace(
            query, columns=(*columns, *filter(None, aggregates)), row_type=produced_type, grouping=tuple(filter(None, keys))
        )
        return True

    def _aggregate(self, aggregate: AggregateExpression, result: RowField) -> str | None:
        name, table = aggregate.function.name, self.query.table
        if aggregate.distinct or aggregate.filter is not None or name not in ("COUNT", "SUM", "MIN", "MAX"):
            return None
        if not aggregate.args:
            return "COUNT(*)" if name == "COUNT" else None
        (argument,) = aggregate.args
        text: str | None = f"COUNT({table.quoted(argument.name)})" if name == "COUNT" else table.aggregate(name, argument, result)
        return text

    @override
    def get_lookup_runtime_provider(self, context: LookupTableSource.LookupContext) -> LookupTableSource.LookupRuntimeProvider:
        if self.lookup.caches_all:
            return FullCachingLookupProvider(self.whole_table(), self.lookup.reload_trigger)
        table = self.query.table
        keys = [self.query.row_type.fields[position] for position in context.key_positions]
        operands: list[str] = []
        for key in keys:
            operand = table.key_operand(key.name, key.type)
            if operand is None:
                raise ValidationException(
                    f"Rows of {table.described} cannot be looked up by column '{key.name}', which is {table.described_column(key.name, key.type)}: "
                    f"keys are {table.KEYS}.",
                    hint="'lookup.cache' = 'FULL' supports all types; without FOR SYSTEM_TIME AS OF the join is an ordinary one",
                )
            operands.append(operand)
        return self.lookup.provider(self.lookup_function(RowType(tuple(keys), nullable=False), tuple(operands)))
