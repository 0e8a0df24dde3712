"""A DataFrame as the rows of a node."""

from __future__ import annotations

from pyspark.sql import DataFrame

from table_api_bridge import DataFrameScanProvider, SparkFileScanProvider, spark_type_sql, to_spark_type
from table_common.catalog import ResolvedSchema
from table_common.exceptions import TableException
from table_planner_spark.context import LoweringContext
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_planner_spark.scan.time_digits import cut_times


def read_data_frame(
    provider: DataFrameScanProvider | SparkFileScanProvider, schema: ResolvedSchema, where: str, context: LoweringContext
) -> SparkRelation:
    """Creates the DataFrame of a provider."""
    return rename(provider.create(context.spark), schema, context)


def rename(frame: DataFrame, schema: ResolvedSchema, context: LoweringContext) -> SparkRelation:
    """Returns the columns of a DataFrame, by position, under names of the plan, cast to the schema's types where these differ. Times are cut to their digits."""
    fields = frame.schema.fields
    if len(fields) != len(schema.columns):
        raise TableException(f"The DataFrame has {len(fields)} columns, but its schema has {len(schema.columns)}.")
    names = context.new_names(schema.column_names)
    # By position, since a DataFrame may have columns of one name.
    unique = context.adopt(frame).toDF(*names)
    casts = []
    for name, field, column in zip(names, fields, schema.columns, strict=True):
        wanted = to_spark_type(column.data_type)
        text = quote_name(name)
        same = wanted.simpleString() == field.dataType.simpleString()
        value = cut_times(text if same else f"CAST({text} AS {spark_type_sql(wanted)})", column.data_type)
        casts.append(text if value == text else f"{value} AS {text}")
    return SparkRelation(unique if casts == list(map(quote_name, names)) else unique.selectExpr(*casts), names)
