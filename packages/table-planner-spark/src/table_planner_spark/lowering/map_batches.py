"""Runs a function over the Arrow batches of each partition of a DataFrame, in Spark's Python workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from table_common.types import RowType
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.python_boundary import decode_sql, encode_sql, from_transport, to_transport, transport_fields
from table_planner_spark.expressions.user_functions.tasks import tell_tasks
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.workers import require_packages

BatchFunction = Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]]
"""Maps the batches of a partition, in their canonical schema, to other batches; must be picklable."""


def encoded_columns(child: SparkRelation, row_type: RowType) -> list[str]:
    """Returns Spark SQL for the child's columns in transport types, as ``map_batches`` expects them, under their names."""
    return [
        f"{encode_sql(quote_name(name), field.type)} AS {quote_name(name)}"
        for name, field in zip(child.columns, row_type.fields, strict=True)
    ]


def map_batches(
    frame: DataFrame, input_type: RowType, output_type: RowType, function: BatchFunction, name: str, context: LoweringContext
) -> SparkRelation:
    """Applies the function to each partition of a frame that has ``encoded_columns``. Spark's plans show ``name``."""
    require_packages(context.spark)
    names = context.new_names([field.name for field in output_type.fields])
    schema = StructType(transport_fields(names, output_type.field_types))
    mapped = adapter_of(context.spark).map_in_arrow(frame, _AtEdge(function, input_type, output_type, schema), schema, name)
    decoded = [decode_sql(quote_name(n), field.type) for n, field in zip(names, output_type.fields, strict=True)]
    if decoded != list(map(quote_name, names)):
        mapped = mapped.selectExpr(*[f"{text} AS {quote_name(n)}" for n, text in zip(names, decoded, strict=True)])
    return SparkRelation(mapped, names)


class _AtEdge:
    """Converts between Spark's batches and canonical ones around the function; called in a worker."""

    def __init__(self, function: BatchFunction, input_type: RowType, output_type: RowType, schema: StructType) -> None:
        self._function = function
        self._input_type = input_type
        self._output_type = output_type
        self._schema = schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tell_tasks()
        canonical = (from_transport(batch, self._input_type) for batch in batches)
        for result in self._function(canonical):
            yield to_transport(result, self._output_type, self._schema)
