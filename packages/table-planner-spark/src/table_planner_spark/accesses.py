"""Which access a session has. The classes are imported on first use: the client of Spark Connect has dependencies of its own."""

from __future__ import annotations

from functools import lru_cache

from pyspark.sql import SparkSession

from table_api_bridge import is_spark_connect
from table_planner_spark.session_access import SessionAccess


@lru_cache(1)
def _connect() -> SessionAccess:
    from table_planner_spark.connect_access import ConnectAccess

    return ConnectAccess()


@lru_cache(1)
def _classic() -> SessionAccess:
    from table_planner_spark.classic_access import ClassicAccess

    return ClassicAccess()


def access_to(spark: SparkSession) -> SessionAccess:
    """Returns the access to a session."""
    return _connect() if is_spark_connect(spark) else _classic()
