"""A DataFrame as the rows of a node."""

from __future__ import annotations

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql.types import StructField

from table_api_bridge import DataFrameScanProvider, SparkFileScanProvider, spark_type_sql, to_spark_type
from table_common.catalog import Column, ResolvedSchema
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
    if casts == list(map(quote_name, names)):
        return SparkRelation(unique, names)
    try:
        return SparkRelation(unique.selectExpr(*casts), names)
    except AnalysisException:
        for cast, field, column in zip(casts, fields, schema.columns, strict=True):
            _require_cast(unique, cast, field, column)
        raise


def _require_cast(frame: DataFrame, cast: str, field: StructField, column: Column) -> None:
    """Checks that Spark has the cast of a column.

    Raises:
        TableException: it has none.
    """
    try:
        frame.selectExpr(cast)
    except AnalysisException as error:
        raise TableException(
            f"The column '{field.name}' of the DataFrame is of the type {field.dataType.simpleString().upper()}, which Spark does not cast to "
            f"{column.data_type}, the type of the column '{column.name}' in its schema.",
            hint="Give the type of the DataFrame in the schema, or convert the column in the DataFrame.",
        ) from error
