"""Enforces the lengths of text and bytes that the columns of sinks declare."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SinkModifyOperation
from table_common.configuration import ExecutionConfigOptions, ReadableConfig
from table_common.types import (
    ArrayType,
    CharacterType,
    LengthLimit,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    length_limits,
    without_lengths,
)
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.names import quote_text
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation


def guard_lengths(node: SparkRelation, operation: SinkModifyOperation, configuration: ReadableConfig) -> SparkRelation:
    """Returns the rows with values that are cut and padded, or checked, as ``table.exec.sink.type-length-enforcer`` says."""
    enforced = operation.length_enforced_columns(configuration)
    if not enforced:
        return node
    is_error = configuration.get(ExecutionConfigOptions.TABLE_EXEC_SINK_TYPE_LENGTH_ENFORCER) == "ERROR"
    where = f"table {operation.table.identifier.as_summary_string()}"
    texts = []
    for index, name in enumerate(map(quote_name, node.columns)):
        type_ = enforced.get(index)
        if type_ is None:
            texts.append(name)
        elif is_error:
            texts.append(f"{_checked(name, type_, operation.consumed_columns[index].name, where)} AS {name}")
        else:
            texts.append(f"{to_spark_cast(name, without_lengths(type_), type_)} AS {name}")
    return SparkRelation(node.frame.selectExpr(*texts), node.columns)


def _checked(text: str, type_: LogicalType, column: str, where: str) -> str:
    """Returns the value; a part of another length than its type declares is an error."""
    cases = []
    for limit in length_limits(type_, column):
        length = _bad_length(text, type_, limit, limit.steps, 0)
        before, after = limit.violation(where)
        message = f"concat({quote_text(before)}, CAST({length} AS STRING), {quote_text(after)})"
        cases.append(f"WHEN {length} IS NOT NULL THEN raise_error({message})")
    return f"CASE {' '.join(cases)} ELSE {text} END"


def _bad_length(text: str, type_: LogicalType, limit: LengthLimit, steps: Sequence[int | str], depth: int) -> str:
    """Returns the smallest length of the values that do not fit; NULL if all fit."""
    if not steps:
        length = f"{'char_length' if isinstance(type_, CharacterType) else 'octet_length'}({text})"
        return f"if({length} {'<>' if limit.is_exact else '>'} {limit.length}, {length}, NULL)"
    step, rest = steps[0], steps[1:]
    if isinstance(type_, (RowType, StructuredType)):
        assert isinstance(step, int)
        field = type_.fields[step]
        return _bad_length(f"{text}.{quote_name(field.name)}", field.type, limit, rest, depth)
    if isinstance(type_, MapType):
        values, inner = (f"map_keys({text})", type_.key_type) if step == "key" else (f"map_values({text})", type_.value_type)
    elif isinstance(type_, MultisetType):
        values, inner = f"map_keys({text})", type_.element_type
    else:
        assert isinstance(type_, ArrayType)
        values, inner = text, type_.element_type
    item = f"__length{depth}"
    return f"array_min(transform({values}, {item} -> {_bad_length(item, inner, limit, rest, depth + 1)}))"
