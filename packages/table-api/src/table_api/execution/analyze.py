"""ANALYZE TABLE: a query computes the statistics, and the catalog stores them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from table_api.execution.column_statistics import aggregates_of, statistics_of, values_of_no_rows
from table_api.execution.local_result import ok
from table_api.execution.partition import permanent_table
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.command import AnalyzeTableOperation
from table_api.table_result import TableResult
from table_common.catalog import (
    CatalogColumnStatistics,
    CatalogColumnStatisticsData,
    CatalogPartitionSpec,
    CatalogTableStatistics,
    Column,
)
from table_common.types import LogicalType, quote_identifier, quote_string

_Statistics = tuple[CatalogTableStatistics, CatalogColumnStatistics]


@execute.register(AnalyzeTableOperation)
def _analyze(operation: AnalyzeTableOperation, session: TableSession) -> TableResult:
    found = permanent_table(operation.identifier, session)
    assert found is not None
    catalog, path, table = found
    schema = session.catalog_manager.schema_resolver.resolve_table(table).resolved_schema
    types = {column.name: column.data_type for column in schema.columns}
    columns = [column for column in schema.columns if column.name in operation.columns]
    given = operation.partition.partition_spec if operation.partition is not None else {}
    condition = " AND ".join(_equals(key, value, types[key]) for key, value in given.items())
    source = f"FROM {operation.identifier}" + (f" WHERE {condition}" if condition else "")
    # Only partitions that are in the catalog can have statistics.
    known = catalog.list_partitions(path, operation.partition) if operation.partition_keys else []
    whole = None if given else dict(_counted((), columns, source, session))[CatalogPartitionSpec({})]
    parts = _of_partitions(known, dict(_counted(operation.partition_keys, columns, source, session)), columns) if known else {}
    with catalog.transaction():
        if whole is not None:
            catalog.alter_table_statistics(path, whole[0], False)
            if columns:
                catalog.alter_table_column_statistics(path, whole[1], False)
        for spec, (size, data) in parts.items():
            catalog.alter_partition_statistics(path, spec, size, True)
            if columns:
                catalog.alter_partition_column_statistics(path, spec, data, True)
    return ok()


def _of_partitions(
    known: Sequence[CatalogPartitionSpec], found: Mapping[CatalogPartitionSpec, _Statistics], columns: Sequence[Column]
) -> dict[CatalogPartitionSpec, _Statistics]:
    """Returns the statistics of each partition in the catalog; one without rows is missing from the query's groups."""
    return {spec: found.get(spec) or _statistics(0, [values_of_no_rows(column) for column in columns], columns) for spec in known}


def _counted(
    keys: Sequence[str], columns: Sequence[Column], source: str, session: TableSession
) -> Iterator[tuple[CatalogPartitionSpec, _Statistics]]:
    """Yields the statistics of each group of rows with equal partition keys."""
    aggregates = [aggregates_of(column) for column in columns]
    items = [*(f"CAST({quote_identifier(key)} AS STRING)" for key in keys), "COUNT(*)", *(sql for of in aggregates for sql in of)]
    grouping = f" GROUP BY {', '.join(map(quote_identifier, keys))}" if keys else ""
    with session.run_query(session.convert_query(f"SELECT {', '.join(items)} {source}{grouping}")).collect() as result:
        for row in result:
            values = list(row)
            spec = CatalogPartitionSpec(dict(zip(keys, values, strict=False)))
            rest = iter(values[len(keys) + 1 :])
            yield spec, _statistics(values[len(keys)], [[next(rest) for _ in of] for of in aggregates], columns)


def _statistics(rows: int, values: Sequence[Sequence[Any]], columns: Sequence[Column]) -> _Statistics:
    data: dict[str, CatalogColumnStatisticsData] = {
        column.name: statistics_of(column, rows, of) for column, of in zip(columns, values, strict=True)
    }
    return CatalogTableStatistics(rows), CatalogColumnStatistics(data)


def _equals(key: str, value: str | None, data_type: LogicalType) -> str:
    name = quote_identifier(key)
    if value is None:
        return f"{name} IS NULL"
    return f"{name} = CAST({quote_string(value)} AS {data_type.with_nullability(True).serializable()})"
