"""Which adapter a session has. The classes are imported on first use: the client of Spark Connect has dependencies of its own."""

from __future__ import annotations

from functools import lru_cache

from pyspark.sql import SparkSession

from table_api_bridge import is_spark_connect
from table_planner_spark.session.adapter import SessionAdapter


@lru_cache(1)
def _connect() -> SessionAdapter:
    from table_planner_spark.session.connect import ConnectAdapter

    return ConnectAdapter()


@lru_cache(1)
def _classic() -> SessionAdapter:
    from table_planner_spark.session.classic import ClassicAdapter

    return ClassicAdapter()


def adapter_of(spark: SparkSession) -> SessionAdapter:
    """Returns the adapter of a session."""
    return _connect() if is_spark_connect(spark) else _classic()
