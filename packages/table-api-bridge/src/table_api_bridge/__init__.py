"""Tables and Spark DataFrames: conversion of types and environments."""

from table_api_bridge.operations import DataFrameQueryOperation
from table_api_bridge.providers import DataFrameScanProvider, DataFrameSinkProvider
from table_api_bridge.spark_table_environment import SparkTableEnvironment
from table_api_bridge.types import (
    LOGICAL_TYPE_KEY,
    MAX_NATIVE_PRECISION,
    from_spark_schema,
    from_spark_type,
    has_nanosecond_encoding,
    logical_type_metadata,
    to_spark_schema,
    to_spark_type,
)

__all__ = [
    "LOGICAL_TYPE_KEY",
    "MAX_NATIVE_PRECISION",
    "DataFrameQueryOperation",
    "DataFrameScanProvider",
    "DataFrameSinkProvider",
    "SparkTableEnvironment",
    "from_spark_schema",
    "from_spark_type",
    "has_nanosecond_encoding",
    "logical_type_metadata",
    "to_spark_schema",
    "to_spark_type",
]
