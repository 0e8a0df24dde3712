"""Serializes tables, views, functions, partitions and statistics as JSON text, for catalogs that store text."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping
from typing import Any

from table_common.catalog import (
    CatalogBaseTable,
    CatalogColumnStatistics,
    CatalogColumnStatisticsData,
    CatalogColumnStatisticsDataBinary,
    CatalogColumnStatisticsDataBoolean,
    CatalogColumnStatisticsDataDate,
    CatalogColumnStatisticsDataDouble,
    CatalogColumnStatisticsDataLong,
    CatalogColumnStatisticsDataString,
    CatalogDatabase,
    CatalogFunction,
    CatalogMaterializedTable,
    CatalogPartition,
    CatalogPartitionSpec,
    CatalogTable,
    CatalogTableStatistics,
    CatalogView,
    IntervalFreshness,
    LogicalRefreshMode,
    RefreshMode,
    RefreshStatus,
    Schema,
    TableDistribution,
    UnresolvedColumn,
    UnresolvedPrimaryKey,
    UnresolvedWatermark,
)
from table_common.exceptions import CatalogException
from table_common.types import LogicalType

_COLUMN_STATISTICS: Mapping[str, type[CatalogColumnStatisticsData]] = {
    "binary": CatalogColumnStatisticsDataBinary,
    "boolean": CatalogColumnStatisticsDataBoolean,
    "date": CatalogColumnStatisticsDataDate,
    "double": CatalogColumnStatisticsDataDouble,
    "long": CatalogColumnStatisticsDataLong,
    "string": CatalogColumnStatisticsDataString,
}
_KIND_OF = {type_: kind for kind, type_ in _COLUMN_STATISTICS.items()}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- tables and views -------------------------------------------------------------------------------------------------------------


def table_text(table: CatalogBaseTable) -> str:
    """Serializes a table or view.

    Raises:
        CatalogException: an expression of its schema is not SQL text, or the view has no SQL text.
    """
    schema = table.schema
    key = schema.primary_key
    value: dict[str, Any] = {
        "columns": [_column(column) for column in schema.columns],
        "watermarks": [[spec.column_name, _expression(spec.expression, spec.column_name)] for spec in schema.watermark_specs],
        "primary_key": [key.constraint_name, list(key.column_names)] if key is not None else None,
        "comment": table.comment,
        "options": dict(table.options),
    }
    match table:
        case CatalogTable():
            distribution = table.distribution
            value["partition_keys"] = list(table.partition_keys)
            if distribution is not None:
                value["distribution"] = [distribution.kind, list(distribution.columns), distribution.bucket_count]
            if isinstance(table, CatalogMaterializedTable):
                value["materialized"] = _materialized(table)
        case CatalogView() if type(table) is CatalogView:
            value["original_query"], value["expanded_query"] = table.original_query, table.expanded_query
        case _:
            raise CatalogException(f"A {type(table).__name__} has no SQL text, so it cannot be stored.", hint="create_temporary_view")
    return _text(value)


def read_table(text: str) -> CatalogBaseTable:
    """Deserializes a table or view."""
    value = json.loads(text)
    key = value["primary_key"]
    schema = Schema(
        tuple(UnresolvedColumn(**column) for column in value["columns"]),
        tuple(UnresolvedWatermark(*spec) for spec in value["watermarks"]),
        UnresolvedPrimaryKey(key[0], tuple(key[1])) if key is not None else None,
    )
    if "expanded_query" in value:
        return CatalogView(schema, value["comment"], value["options"], value["original_query"], value["expanded_query"])
    kind, columns, buckets = value.get("distribution") or (None, (), None)
    distribution = TableDistribution(kind, tuple(columns), buckets) if "distribution" in value else None
    table = CatalogTable(schema, value["comment"], value["options"], tuple(value["partition_keys"]), distribution)
    return _read_materialized(table, value["materialized"]) if "materialized" in value else table


def _materialized(table: CatalogMaterializedTable) -> dict[str, Any]:
    return {
        "definition_query": table.definition_query,
        "original_query": table.original_query,
        "freshness": [table.freshness.interval, table.freshness.unit],
        "logical_refresh_mode": table.logical_refresh_mode.value,
        "refresh_mode": table.refresh_mode.value,
        "refresh_status": table.refresh_status.value,
        "refresh_handler": dict(table.refresh_handler),
    }


def _read_materialized(table: CatalogTable, value: dict[str, Any]) -> CatalogMaterializedTable:
    return CatalogMaterializedTable(
        table.schema,
        table.comment,
        table.options,
        table.partition_keys,
        table.distribution,
        value["definition_query"],
        value["original_query"],
        IntervalFreshness(*value["freshness"]),
        LogicalRefreshMode(value["logical_refresh_mode"]),
        RefreshMode(value["refresh_mode"]),
        RefreshStatus(value["refresh_status"]),
        value["refresh_handler"],
    )


def _column(column: UnresolvedColumn) -> dict[str, Any]:
    data_type = column.data_type.serializable() if isinstance(column.data_type, LogicalType) else column.data_type
    value = {
        "name": column.name,
        "data_type": data_type,
        "expression": _expression(column.expression, column.name),
        "is_metadata": column.is_metadata,
        "metadata_key": column.metadata_key,
        "is_virtual": column.is_virtual,
        "comment": column.comment,
    }
    return {name: part for name, part in value.items() if part is not None and part is not False}


def _expression(expression: object, column_name: str) -> str | None:
    if expression is None or isinstance(expression, str):
        return expression
    raise CatalogException(
        f"The expression of column '{column_name}' is a {type(expression).__name__}; a catalog stores SQL text.",
        hint="write the expression as SQL text: column_by_expression('c', 'a + 1')",
    )


# --- databases, functions, partitions ---------------------------------------------------------------------------------------------


def database_text(database: CatalogDatabase) -> str:
    """Serializes a database."""
    return _text({"properties": dict(database.properties), "comment": database.comment})


def read_database(text: str) -> CatalogDatabase:
    """Deserializes a database."""
    return CatalogDatabase(**json.loads(text))


def function_text(function: CatalogFunction) -> str:
    """Serializes a function."""
    value: dict[str, Any] = {"class_name": function.class_name, "language": function.language, "description": function.description}
    return _text({**value, "artifacts": function.artifacts} if function.artifacts else value)


def read_function(text: str) -> CatalogFunction:
    """Deserializes a function."""
    value = json.loads(text)
    return CatalogFunction(**{**value, "artifacts": tuple(value.get("artifacts", ()))})


def partition_text(partition: CatalogPartition) -> str:
    """Serializes a partition's properties and comment."""
    return _text({"properties": dict(partition.properties), "comment": partition.comment})


def read_partition(text: str) -> CatalogPartition:
    """Deserializes a partition."""
    return CatalogPartition(**json.loads(text))


def spec_text(spec: CatalogPartitionSpec) -> str:
    """Serializes a partition specification; equal specifications have equal texts."""
    return _text(dict(sorted(spec.partition_spec.items())))


def read_spec(text: str) -> CatalogPartitionSpec:
    """Deserializes a partition specification; its keys are sorted."""
    return CatalogPartitionSpec(json.loads(text))


# --- statistics -------------------------------------------------------------------------------------------------------------------


def statistics_text(statistics: CatalogTableStatistics) -> str:
    """Serializes the statistics of a table or partition."""
    return _text(
        {
            "row_count": statistics.row_count,
            "file_count": statistics.file_count,
            "total_size": statistics.total_size,
            "raw_data_size": statistics.raw_data_size,
            "properties": dict(statistics.properties),
        }
    )


def read_statistics(text: str | None) -> CatalogTableStatistics:
    """Deserializes the statistics of a table or partition; None gives unknown statistics."""
    return CatalogTableStatistics(**json.loads(text)) if text is not None else CatalogTableStatistics()


def column_statistics_text(statistics: CatalogColumnStatistics) -> str:
    """Serializes column statistics."""
    columns = {}
    for name, data in statistics.column_statistics_data.items():
        values = {field: getattr(data, field) for field in data.__dataclass_fields__}
        columns[name] = [_KIND_OF[type(data)], {field: _plain(value) for field, value in values.items() if value is not None}]
    return _text({"columns": columns, "properties": dict(statistics.properties)})


def read_column_statistics(text: str | None) -> CatalogColumnStatistics:
    """Deserializes column statistics; None gives unknown statistics."""
    if text is None:
        return CatalogColumnStatistics()
    value = json.loads(text)
    columns = {}
    for name, (kind, values) in value["columns"].items():
        read: Callable[[Any], Any] = datetime.date.fromisoformat if kind == "date" else _same
        bounds = {field: read(values[field]) for field in ("min", "max") if field in values}
        columns[name] = _COLUMN_STATISTICS[kind](**{**values, **bounds})
    return CatalogColumnStatistics(columns, value["properties"])


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime.date) else value


def _same(value: Any) -> Any:
    return value
