"""Chooses the Spark session of a catalog."""

from __future__ import annotations

from typing import cast

from pyspark.sql import SparkSession

from table_api_bridge.spark_connect import is_spark_connect
from table_api_bridge.spark_internals import is_spark_running
from table_common.exceptions import TableException
from table_common.factories import CatalogFactory


def session_of(context: CatalogFactory.Context) -> SparkSession:
    """Returns the session passed to the environment, else the active session, else a session of the running Spark, which is started if needed.

    Raises:
        TableException: Spark cannot be started.
    """
    external = context.external.get("spark")
    if isinstance(external, SparkSession) or is_spark_connect(external):
        return cast("SparkSession", external)
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    builder = SparkSession.builder
    if not is_spark_running():
        builder = builder.master(context.configuration.get("spark.master") or "local[*]").config("spark.ui.enabled", "false")
        for key, value in context.configuration.to_map().items():
            if key.startswith("spark."):
                builder = builder.config(key, value)
    try:
        return builder.getOrCreate()
    except Exception as error:
        raise TableException(
            f"The catalog '{context.name}' needs a Spark session, and Spark cannot be started: {error}",
            hint="pass a session to the environment: SparkTableEnvironment.create(spark)",
        ) from error
