"""Lowers process table functions: Spark divides and sorts the rows of all tables together, the Arrow operator calls the function in Python workers."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as fns

from table_api.operations import ProcessTableFunctionQueryOperation, SortOrder
from table_api.operations.changelog import INSERT_ONLY
from table_common.arrow import to_arrow_schema
from table_common.configuration import session_time_zone
from table_common.exceptions import TableInternalError
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import replace
from table_common.types import IntType, LogicalType, RowType
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.python_boundary import encode_sql
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.expressions.user_functions.calls import shipped
from table_planner_spark.expressions.user_functions.metrics import accumulator_of
from table_planner_spark.expressions.user_functions.shipping import dumps
from table_planner_spark.expressions.user_functions.worker import process_spec_of
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.lowering.map_batches import encoded_columns, map_batches
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_runtime.columns import SortKey
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.expressions import Evaluator
from table_runtime.run import ExecutionContext
from table_runtime.streaming import MergedRows, ProcessSpec, TableColumns, divided_by_table, process_bounded, process_spec


@lower.register(ProcessTableFunctionQueryOperation)
def lower_process_table_function(
    node: ProcessTableFunctionQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext
) -> SparkRelation:
    """Shuffles the rows by partition and sorts them by time; without PARTITION BY, one task gets all rows of a table with set semantics."""
    node.require_insertions()
    spec = _spec(replace(node, function=shipped(node.function, context.spark)), context)
    output_type = node.resolved_schema.to_row_type()
    is_several = len(inputs) > 1
    if is_several:
        frame, input_type = _union(node, inputs, context)
        names = frame.columns
        keys = names[1 : 1 + len(node.arguments[0].partition_by)]
        times = [names[1 + len(keys)]] if node.time_type is not None else []
        order = [*times, names[0]]
    else:
        (child,) = inputs
        input_type = node.tables[0].resolved_schema.to_row_type()
        frame = child.frame.selectExpr(*encoded_columns(child, input_type))
        names, argument = frame.columns, node.arguments[0]
        keys = [names[key.field_index] for key in argument.partition_by]
        order = [] if argument.time is None else [names[argument.time.field_index]]
    if not node.is_row_by_row:
        frame = frame.repartition(*[fns.col(quote_name(name)) for name in keys]) if keys else frame.repartition(1)
        if order:
            frame = frame.sortWithinPartitions(*[fns.col(quote_name(name)).asc_nulls_first() for name in order])
    first = 1 + len(keys) + (node.time_type is not None) if is_several else None
    payload = dumps((spec, accumulator_of(context.spark)), node.function.name)
    return map_batches(frame, input_type, output_type, _Processing(payload, first), "process_table", context)


def _spec(node: ProcessTableFunctionQueryOperation, context: LoweringContext) -> ProcessSpec:
    tables = [
        TableColumns(
            argument.name,
            table.resolved_schema.to_row_type(),
            to_arrow_schema(table.resolved_schema.to_row_type()),
            tuple(key.field_index for key in argument.partition_by),
            tuple(map(_sort_key, argument.order_by)),
            -1 if argument.time is None else argument.time.field_index,
            node.columns_through(number),
            INSERT_ONLY.changelog_mode,
        )
        for number, (table, argument) in enumerate(zip(node.tables, node.arguments, strict=True))
    ]
    evaluation = EvaluationContext(session_time_zone(context.configuration), time.time_ns(), current_scope().legacy_casts)
    schema = to_arrow_schema(node.resolved_schema.to_row_type())
    return process_spec(node.function, tables, Evaluator(node.scalars, evaluation), schema, node.time_type, INSERT_ONLY.changelog_mode)


def _sort_key(order: SortOrder) -> SortKey:
    if not isinstance(order.expression, FieldReferenceExpression):
        raise TableInternalError(f"An order is not a column: {order.expression}.")
    return SortKey(order.expression.field_index, order.ascending, order.nulls_first)


def _union(
    node: ProcessTableFunctionQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext
) -> tuple[DataFrame, RowType]:
    """Returns the rows of all tables: the number of the table, its keys, its time, and the columns of each table, NULL in rows of others."""
    row_types = [table.resolved_schema.to_row_type() for table in node.tables]
    fields: list[tuple[str, LogicalType]] = [("number", IntType())]
    fields += [(f"key{i}", key.output_type.with_nullability(True)) for i, key in enumerate(node.arguments[0].partition_by)]
    if node.time_type is not None:
        fields.append(("time", node.time_type.with_nullability(True)))
    fields += [
        (f"c{i}_{j}", field.type.with_nullability(True)) for i, type_ in enumerate(row_types) for j, field in enumerate(type_.fields)
    ]
    names = context.new_names([name for name, _ in fields])
    frame = None
    for number, (child, argument) in enumerate(zip(inputs, node.arguments, strict=True)):
        row_type = row_types[number]
        encoded = [encode_sql(quote_name(name), field.type) for name, field in zip(child.columns, row_type.fields, strict=True)]
        texts = [str(number), *(encoded[key.field_index] for key in argument.partition_by)]
        if argument.time is not None:
            texts.append(encoded[argument.time.field_index])
        for other, type_ in enumerate(row_types):
            texts += encoded if other == number else ["NULL"] * len(type_.fields)
        part = child.frame.selectExpr(*[f"{text} AS {quote_name(name)}" for text, name in zip(texts, names, strict=True)])
        frame = part if frame is None else frame.unionAll(part)
    assert frame is not None
    return frame, RowType.of(fields)


class _Processing:
    """Calls the function for the rows of a Spark partition, in a worker; ``first``: where the columns of several tables begin, None for one table."""

    def __init__(self, payload: bytes, first: int | None) -> None:
        self._payload = payload
        self._first = first

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        spec = process_spec_of(self._payload)
        if self._first is None:
            rows: Iterator[MergedRows] = (MergedRows.of_one(0, batch) for batch in batches)
        else:
            rows = divided_by_table(batches, [table.schema for table in spec.inputs], self._first)
        yield from process_bounded(spec, rows, ExecutionContext(parallelism=1))
