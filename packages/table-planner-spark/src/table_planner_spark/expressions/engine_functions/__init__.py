"""Spark's own functions and the Hive functions that PySpark ships. Spark's analyzer infers the types of their calls, and Spark runs them."""

from __future__ import annotations

from table_planner_spark.expressions.engine_functions.calls import aggregate_translation, call_text
from table_planner_spark.expressions.engine_functions.resolution import EngineFunctions
from table_planner_spark.expressions.engine_functions.spark_function import SparkFunction

__all__ = ["EngineFunctions", "SparkFunction", "aggregate_translation", "call_text"]
