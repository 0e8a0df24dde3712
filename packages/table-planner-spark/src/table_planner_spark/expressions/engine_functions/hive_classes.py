"""Hive's own classes as functions of a Spark session.

Spark makes expressions of Hive's functions with ``HiveUDFExpressionBuilder``, which needs no metastore; only the public way to it, CREATE
FUNCTION in a session with Hive support, does. So the session's registry is given the functions directly: any session can have them,
whenever it began, and nothing is written to any disk.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any, cast

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from table_common.exceptions import TableException

__all__ = ["HIVE_PREFIX", "register_hive_class"]

HIVE_PREFIX = "__hive_"
"""What the names begin with that Hive's functions have in Spark, beside Spark's own."""

_BUILDER = "org.apache.spark.sql.hive.HiveUDFExpressionBuilder$"
_LOADER = "org.apache.spark.sql.catalyst.catalog.DummyFunctionResourceLoader$"

_CATALOGS: weakref.WeakKeyDictionary[SparkSession, Any] = weakref.WeakKeyDictionary()
_REGISTERED: weakref.WeakKeyDictionary[SparkSession, set[str]] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def register_hive_class(spark: SparkSession, sql_name: str, class_name: str) -> None:
    """Makes a class of Hive a temporary function of the session, unless it is one already.

    Raises:
        TableException: this Spark has no Hive, or Hive has no such class.
    """
    with _LOCK:
        known = _REGISTERED.setdefault(spark, set())
        if sql_name in known:
            return
        try:
            catalog = _CATALOGS.get(spark)
            if catalog is None:
                catalog = _CATALOGS[spark] = _function_catalog(spark)
            jvm = cast("Any", spark._jvm)
            described = jvm.org.apache.spark.sql.catalyst.catalog.CatalogFunction(
                jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(sql_name),
                class_name,
                _scala_object(jvm, "scala.collection.immutable.Nil$"),
            )
            catalog.registerFunction(described, True, _scala_object(jvm, "scala.None$"))
        except (Py4JError, TypeError) as error:
            raise TableException(
                f"This Spark cannot load Hive's class {class_name}, so functions of the module 'hive' do not run on it.",
                hint="The jars hive-exec and spark-hive, which PySpark ships, must be on Spark's class path.",
            ) from error
        known.add(sql_name)


def _function_catalog(spark: SparkSession) -> Any:
    """Returns a catalog that shares only the session's function registry, and makes functions with Hive's builder."""
    jvm = cast("Any", spark._jvm)
    state = spark._jsparkSession.sessionState()
    return jvm.org.apache.spark.sql.catalyst.catalog.SessionCatalog(
        None,  # no external catalog: registering a function asks for none
        None,
        state.functionRegistry(),
        state.tableFunctionRegistry(),
        state.newHadoopConf(),
        state.sqlParser(),
        _scala_object(jvm, _LOADER),
        _scala_object(jvm, _BUILDER),
        10,
        -1,
        "default",
    )


def _scala_object(jvm: Any, name: str) -> Any:
    return getattr(getattr(jvm, name), "MODULE$")
