"""Translates calls of Spark's and Hive's functions to Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession

from table_api.operations import AggregateCall
from table_common.functions import FunctionDefinition
from table_common.types import LogicalType, TimestampType
from table_planner_spark.expressions.engine_functions.hive_classes import register_hive_class
from table_planner_spark.expressions.engine_functions.spark_function import SparkFunction
from table_planner_spark.expressions.functions import AGGREGATE_FUNCTIONS, AggregateArguments
from table_planner_spark.expressions.functions.translation import AggregateTranslation
from table_planner_spark.expressions.names import quote_text
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.spark_internals import jvm_of


def call_text(
    function: SparkFunction, args: Sequence[str], types: Sequence[LogicalType], output_type: LogicalType | None, suffix: str = ""
) -> str:
    """Returns Spark SQL for the call. A Hive class is registered in the session first.

    Args:
        output_type: The type of the call; None keeps the type that Spark or Hive returns.
        suffix: A clause that follows the call, such as FILTER.
    """
    spark = current_scope().spark
    if function.hive_class is None or spark is None:
        return f"{function.sql_name}({', '.join(args)}){suffix}"
    register_hive_class(spark, function.sql_name, function.hive_class)
    given = [_to_hive(text, type_, spark) for text, type_ in zip(args, types, strict=True)]
    text = f"{function.sql_name}({', '.join(given)}){suffix}"
    return _from_hive(text, spark) if isinstance(output_type, TimestampType) else text


def _to_hive(text: str, type_: LogicalType, spark: SparkSession) -> str:
    """Returns an argument as Hive expects it: Hive's timestamps have no time zone and are interpreted in the JVM's."""
    if not isinstance(type_, TimestampType):
        return text
    session, machine = _zones(spark)
    local = text if session == machine else f"convert_timezone({quote_text(machine)}, {quote_text(session)}, {text})"
    return f"CAST({local} AS TIMESTAMP_LTZ)"


def _from_hive(text: str, spark: SparkSession) -> str:
    session, machine = _zones(spark)
    local = f"CAST({text} AS TIMESTAMP_NTZ)"
    return local if session == machine else f"convert_timezone({quote_text(session)}, {quote_text(machine)}, {local})"


def _zones(spark: SparkSession) -> tuple[str, str]:
    """Returns the time zones of the session and of the JVM."""
    machine = jvm_of(spark).java.util.TimeZone.getDefault().getID()
    return str(spark.conf.get("spark.sql.session.timeZone")), str(machine)


def aggregate_translation(function: FunctionDefinition) -> AggregateTranslation | None:
    """Returns the translation of an aggregate function, or None."""
    if not isinstance(function, SparkFunction):
        return AGGREGATE_FUNCTIONS.get(function)

    def translate(call: AggregateCall, given: AggregateArguments) -> str:
        args = list(given.args)
        if call.distinct and args:
            args[0] = f"DISTINCT {args[0]}"
        return call_text(function, args, [arg.output_type for arg in call.args], call.output_type, given.filter)

    return translate
