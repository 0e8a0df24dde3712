"""Lowers query operations to Spark SQL, one file per operation. Importing this package registers all of them."""

from table_planner_spark.lowering import (
    aggregate,
    distinct,
    filter,
    join,
    lookup_join,
    match_recognize,
    process_table_function,
    project,
    set,
    sort,
    source,
    unnest,
    values,
    watermark,
    window,
    window_table_function,
)
from table_planner_spark.lowering.dispatch import UNSUPPORTED, lower, lower_query

__all__ = [
    "UNSUPPORTED",
    "aggregate",
    "distinct",
    "filter",
    "join",
    "lookup_join",
    "lower",
    "lower_query",
    "match_recognize",
    "process_table_function",
    "project",
    "set",
    "sort",
    "source",
    "unnest",
    "values",
    "watermark",
    "window",
    "window_table_function",
]
