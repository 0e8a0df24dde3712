"""Enforces NOT NULL of columns of sinks, and inside of them: a NULL is an error, or its row is dropped."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SinkModifyOperation
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.types import ArrayType, LogicalType, MapType, MultisetType, RowType, StructuredType
from table_planner_spark.expressions.names import quote_text
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation


def guard_nested_not_null(node: SparkRelation, operation: SinkModifyOperation, configuration: ReadableConfig) -> SparkRelation:
    """Returns the rows with the check of ``table.exec.sink.nested-constraint-enforcer``."""
    parts = operation.nested_required_parts(configuration)
    if not parts:
        return node
    names = [quote_name(name) for name in node.columns]
    types = [column.data_type for column in operation.consumed_columns]
    missing = [(index, part, _is_missing(names[index], types[index], part.steps, 0)) for index, part in parts]
    if configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_NOT_NULL_ENFORCER) == "DROP":
        return SparkRelation(node.frame.where(f"NOT ({' OR '.join(text for _, _, text in missing)})"), node.columns)
    where = f"table {operation.table.identifier.as_summary_string()}"
    texts = list(names)
    for position, name in enumerate(names):
        cases = [f"WHEN {text} THEN raise_error({quote_text(part.violation(where))})" for index, part, text in missing if index == position]
        if cases:
            texts[position] = f"CASE {' '.join(cases)} ELSE {name} END AS {name}"
    return SparkRelation(node.frame.selectExpr(*texts), node.columns)


def _is_missing(text: str, type_: LogicalType, steps: Sequence[int | str], depth: int) -> str:
    """Returns a condition, never NULL: whether the part after the steps is NULL; one inside of a NULL is not missing."""
    if not steps:
        return f"({text} IS NULL)"
    step, rest = steps[0], steps[1:]
    if isinstance(type_, (RowType, StructuredType)):
        assert isinstance(step, int)
        field = type_.fields[step]
        return f"({text} IS NOT NULL AND {_is_missing(f'{text}.{quote_name(field.name)}', field.type, rest, depth)})"
    if isinstance(type_, ArrayType):
        values, inner = text, type_.element_type
    elif isinstance(type_, MapType):
        values, inner = (f"map_keys({text})", type_.key_type) if step == "key" else (f"map_values({text})", type_.value_type)
    else:
        assert isinstance(type_, MultisetType)
        values, inner = f"map_keys({text})", type_.element_type
    item = f"__required{depth}"
    return f"coalesce(exists({values}, {item} -> {_is_missing(item, inner, rest, depth + 1)}), FALSE)"


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
