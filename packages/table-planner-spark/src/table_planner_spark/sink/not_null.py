"""Enforces NOT NULL columns of sinks: a NULL is an error, or its row is dropped."""

from __future__ import annotations

from table_api.operations import SinkModifyOperation
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_planner_spark.context import SparkRelation
from table_planner_spark.expressions.names import quote_name, quote_text

__all__ = ["guard_not_null"]


def guard_not_null(node: SparkRelation, operation: SinkModifyOperation, configuration: ReadableConfig) -> SparkRelation:
    """Returns the rows with the check. It costs nothing for columns that Spark knows to be NOT NULL."""
    table = operation.table
    required = {index: column.name for index, column in enumerate(operation.consumed_columns) if not column.data_type.nullable}
    if not required:
        return node
    if configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_NOT_NULL_ENFORCER) == "DROP":
        condition = " AND ".join(f"{quote_name(node.columns[index])} IS NOT NULL" for index in required)
        return SparkRelation(node.frame.where(condition), node.columns)
    where = f"table {table.identifier.as_summary_string()}"
    texts = []
    for index, name in enumerate(map(quote_name, node.columns)):
        if index in required:
            message = f"Column '{required[index]}' of {where} is declared NOT NULL, but a row has NULL there."
            texts.append(f"coalesce({name}, raise_error({quote_text(message)})) AS {name}")
        else:
            texts.append(name)
    return SparkRelation(node.frame.selectExpr(*texts), node.columns)
