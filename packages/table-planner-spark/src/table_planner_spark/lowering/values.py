"""Rows written in the program."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql.types import StructField, StructType

from table_api.operations import ValuesQueryOperation
from table_api_bridge import to_spark_type
from table_planner_spark.context import Lowered, LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.expressions.names import quote_name, quote_text, to_type_sql
from table_planner_spark.lowering.dispatch import lower

__all__ = ["lower_values"]


@lower.register(ValuesQueryOperation)
def lower_values(op: ValuesQueryOperation, inputs: Sequence[Lowered], context: LoweringContext) -> Lowered:
    """Makes the rows in one call, however many there are."""
    names = context.new_names(op.schema.column_names)
    types = op.schema.column_types
    if not op.rows:
        fields = [StructField(name, to_spark_type(type_)) for name, type_ in zip(names, types, strict=True)]
        return Lowered(context.spark.createDataFrame([], StructType(fields)), names)
    one_row = context.spark.range(0, len(op.rows) if not names else 1, 1, 1)
    if not names:
        return Lowered(one_row.select(), names)
    if len(op.rows) == 1:
        return Lowered(
            one_row.selectExpr(*[f"{to_spark_sql(e)} AS {quote_name(n)}" for n, e in zip(names, op.rows[0], strict=True)]), names
        )
    # The types are said again, so that the rows of the array agree in them.
    rows = []
    for row in op.rows:
        cells = [
            f"{quote_text(name)}, CAST({to_spark_sql(e)} AS {to_type_sql(type_)})" for name, e, type_ in zip(names, row, types, strict=True)
        ]
        rows.append(f"named_struct({', '.join(cells)})")
    return Lowered(one_row.selectExpr(f"inline(array({', '.join(rows)}))"), names)
