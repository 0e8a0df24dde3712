"""User functions in Spark's Python workers: shipped by cloudpickle, called over Arrow columns by the invoker of ``table_runtime``."""

from table_planner_spark.expressions.user_functions.calls import aggregate_call, merge_call, payload_of, scalar_call

__all__ = ["aggregate_call", "merge_call", "payload_of", "scalar_call"]
