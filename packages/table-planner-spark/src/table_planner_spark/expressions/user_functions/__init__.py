"""Runs user functions in Spark's Python workers: cloudpickle ships them, the invoker of ``table_runtime`` calls them over Arrow columns."""

from table_planner_spark.expressions.user_functions.calls import aggregate_call, merge_call, payload_of, scalar_call

__all__ = ["aggregate_call", "merge_call", "payload_of", "scalar_call"]
