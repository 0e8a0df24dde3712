"""Lowers VALUES: the rows that a statement or program contains."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_api.operations import ValuesQueryOperation
from table_common.arrow import to_arrow_schema
from table_common.expressions import ResolvedExpression
from table_common.types import LogicalType, NullType, SymbolType
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.expressions.names import quote_text, to_type_sql
from table_planner_spark.in_process_frames import send_rows
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_runtime.expressions import constant_column

_MOST_IN_TEXT = 200
"""The most constants that are passed to Spark as text. More are passed as Arrow, which is faster than parsing and analyzing them."""


@lower.register(ValuesQueryOperation)
def lower_values(node: ValuesQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Returns the rows as part of the statement; many constants as a relation over Arrow data."""
    names = context.new_names(node.schema.column_names)
    types = node.schema.column_types
    if not names:
        return SparkRelation(context.spark.range(0, len(node.rows), 1, 1).select(), names)
    if not node.rows:
        nothing = ", ".join(f"CAST(NULL AS {to_type_sql(type_)}) AS {quote_name(name)}" for name, type_ in zip(names, types, strict=True))
        return SparkRelation.constant(context.spark, f"SELECT {nothing} WHERE false", names)
    if len(node.rows) * len(names) > _MOST_IN_TEXT:
        constants = _constants(node)
        if constants is not None:
            return SparkRelation(send_rows(node.schema.to_row_type(), [constants], context.spark).toDF(*names), names)
    if len(node.rows) == 1:
        cells = ", ".join(f"{to_spark_sql(e)} AS {quote_name(n)}" for n, e in zip(names, node.rows[0], strict=True))
        return SparkRelation.constant(context.spark, f"SELECT {cells}", names)
    rows = [f"named_struct({', '.join(map(_field, names, row, types))})" for row in node.rows]
    return SparkRelation.constant(context.spark, f"SELECT inline(array({', '.join(rows)}))", names)


def _field(name: str, cell: ResolvedExpression, type_: LogicalType) -> str:
    """Returns a field's name and its value with an explicit cast, so that all rows of the array have the same type."""
    return f"{quote_text(name)}, CAST({to_spark_sql(cell)} AS {to_type_sql(type_)})"


def _constants(node: ValuesQueryOperation) -> pa.RecordBatch | None:
    """Returns the rows as a batch if all of them are constants."""
    columns = []
    for position, type_ in enumerate(node.schema.column_types):
        column = None if isinstance(type_, (NullType, SymbolType)) else constant_column([row[position] for row in node.rows], type_)
        if column is None:
            return None
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, schema=to_arrow_schema(node.schema.to_row_type()))
