"""All that this package uses of PySpark beyond its public API, and all that differs between the supported versions of Spark."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pyspark
from pyspark import SparkContext
from pyspark.sql import SparkSession, types

from table_api_bridge.spark_connect import is_spark_connect
from table_common.exceptions import TableException

_TIME: Any = getattr(types, "TimeType", None)


def is_spark_running() -> bool:
    """Returns whether this process has a Spark."""
    return SparkContext._active_spark_context is not None


def forget_table(spark: SparkSession, name: str) -> None:
    """Makes a session look up a table of Spark again, or what a view reads.

    Each session keeps what it has seen of tables, their formats and files too, and statements run in clones of the program's session. What the program has
    cached (CACHE TABLE) stays cached.
    """
    if not is_spark_connect(spark):
        state = spark._jsparkSession.sessionState()
        state.catalog().invalidateAllCachedTables()
        parts = state.sqlParser().parseMultipartIdentifier(name)
        catalog = parts.apply(0) if parts.size() > 2 else spark.catalog.currentCatalog()
        if str(catalog).lower() == "spark_catalog":
            return
    with suppress(Exception):  # the statement that uses the table says why it cannot
        if not spark.catalog.isCached(name):
            spark.catalog.refreshTable(name)


def has_time_type() -> bool:
    """Returns whether this Spark has the type TIME."""
    return _TIME is not None


def is_time_type(type_: types.DataType) -> bool:
    """Returns whether a Spark type is TIME."""
    return _TIME is not None and isinstance(type_, _TIME)


def time_type(precision: int) -> types.DataType:
    """Returns Spark's type TIME.

    Raises:
        TableException: Spark is older than 4.1, which has the type.
    """
    if _TIME is None:
        raise TableException(
            f"Spark {pyspark.__version__} has no type TIME.",
            hint="Use Spark 4.1 or later, the planner 'arrow', or a column of another type, such as STRING.",
        )
    made: types.DataType = _TIME(precision)
    return made
