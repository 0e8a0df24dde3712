"""Tables as Spark DataFrames and back: the environment, types, providers, and Spark's catalogs."""

from table_api_bridge.catalog import SparkCatalog, SparkCatalogFactory
from table_api_bridge.connector import SparkTableFactory
from table_api_bridge.operations import DataFrameQueryOperation
from table_api_bridge.providers import DataFrameScanProvider, DataFrameSinkProvider, SparkFileScanProvider
from table_api_bridge.spark_connect import is_spark_connect, streaming_on_connect
from table_api_bridge.spark_internals import forget_table
from table_api_bridge.spark_table_environment import SparkTableEnvironment
from table_api_bridge.types import (
    LOGICAL_TYPE_KEY,
    MAX_NATIVE_PRECISION,
    from_spark_schema,
    from_spark_type,
    has_nanosecond_encoding,
    logical_type_metadata,
    spark_type_sql,
    to_spark_schema,
    to_spark_type,
)

__all__ = [
    "LOGICAL_TYPE_KEY",
    "MAX_NATIVE_PRECISION",
    "DataFrameQueryOperation",
    "DataFrameScanProvider",
    "DataFrameSinkProvider",
    "SparkCatalog",
    "SparkCatalogFactory",
    "SparkFileScanProvider",
    "SparkTableEnvironment",
    "SparkTableFactory",
    "forget_table",
    "from_spark_schema",
    "from_spark_type",
    "has_nanosecond_encoding",
    "is_spark_connect",
    "logical_type_metadata",
    "spark_type_sql",
    "streaming_on_connect",
    "to_spark_schema",
    "to_spark_type",
]
