"""Scans of rows that this process holds: one DataFrame has all of them, and Spark applies the scan's filters and columns to it."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.catalog import ResolvedSchema
from table_common.connector import InProcessData, InProcessScanProvider
from table_common.types import RowType
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation


def read_in_process(
    data: InProcessData, provider: InProcessScanProvider, schema: ResolvedSchema, where: str, context: LoweringContext
) -> SparkRelation:
    """Returns the rows and columns that the scan produces."""
    frame = context.in_process.frame(data, context.spark)
    names: list[str] = list(data.row_type.field_names)
    if context.reserve_names(names, where):
        node = SparkRelation(frame, names)
    else:
        given = context.new_names(names)
        node = SparkRelation(frame, names).select(
            [f"{quote_name(name)} AS {quote_name(new)}" for name, new in zip(names, given, strict=True)], given
        )
    if provider.filters:
        texts = [to_spark_sql(condition, node.columns) for condition in provider.filters]
        # Spark would parse WHERE and a single name in parentheses as an alias with a column.
        node = node.where(texts[0] if len(texts) == 1 else " AND ".join(f"({text})" for text in texts), is_deterministic=True)
    if all(len(path) == 1 for path in provider.columns):
        return node.select_columns([position for (position,) in provider.columns])
    results = context.new_names(schema.column_names)
    columns = [
        f"{_path(node.columns, path, data.row_type)} AS {quote_name(name)}" for path, name in zip(provider.columns, results, strict=True)
    ]
    return node.select(columns, results)


def _path(names: Sequence[str], path: Sequence[int], row_type: RowType) -> str:
    parts = [quote_name(names[path[0]])]
    inner = row_type.fields[path[0]].type
    for position in path[1:]:
        assert isinstance(inner, RowType)
        parts.append(quote_name(inner.fields[position].name))
        inner = inner.fields[position].type
    return ".".join(parts)
