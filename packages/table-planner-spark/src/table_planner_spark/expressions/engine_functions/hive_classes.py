"""Registers Hive's function classes in a Spark session.

Spark builds expressions of Hive functions with ``HiveUDFExpressionBuilder``, which needs no metastore. The public way to it, CREATE FUNCTION in
a session with Hive support, does need one. Functions are therefore added directly to the session's function registry. This works for every
session, also one that already runs, and writes nothing to disk.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from table_common.exceptions import TableException
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.spark_internals import java_session, jvm_of

HIVE_PREFIX = "__hive_"
"""Prefix of the names under which Hive's functions are registered in Spark."""

_BUILDER = "org.apache.spark.sql.hive.HiveUDFExpressionBuilder$"
_LOADER = "org.apache.spark.sql.catalyst.catalog.DummyFunctionResourceLoader$"

_CATALOGS: weakref.WeakKeyDictionary[SparkSession, Any] = weakref.WeakKeyDictionary()
_REGISTERED: weakref.WeakKeyDictionary[SparkSession, set[str]] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def register_hive_class(spark: SparkSession, sql_name: str, class_name: str) -> None:
    """Registers a Hive class as a temporary function of the session, unless that was done before.

    Raises:
        TableException: this Spark has no Hive, or Hive has no such class.
    """
    if not adapter_of(spark).has_jvm:
        raise TableException(
            "Functions of the module 'hive' do not run on Spark Connect: their classes are registered in the JVM of the driver.",
            hint="Create the session with a master, such as SparkSession.builder.master('local[*]').",
        )
    with _LOCK:
        known = _REGISTERED.setdefault(spark, set())
        if sql_name in known:
            return
        try:
            catalog = _CATALOGS.get(spark)
            if catalog is None:
                catalog = _CATALOGS[spark] = _function_catalog(spark)
            jvm = jvm_of(spark)
            described = jvm.org.apache.spark.sql.catalyst.catalog.CatalogFunction(
                jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(sql_name),
                class_name,
                _scala_object(jvm, "scala.collection.immutable.Nil$"),
            )
            catalog.registerFunction(described, True, _scala_object(jvm, "scala.None$"))
        except (Py4JError, PySparkException, TypeError) as error:
            raise TableException(
                f"This Spark cannot load Hive's class {class_name}, so functions of the module 'hive' do not run on it.",
                hint="The jars hive-exec and spark-hive, which PySpark ships, must be on Spark's class path.",
            ) from error
        known.add(sql_name)


def _function_catalog(spark: SparkSession) -> Any:
    """Returns a catalog that shares the session's function registry and creates functions with Hive's builder."""
    jvm = jvm_of(spark)
    state = java_session(spark).sessionState()
    return jvm.org.apache.spark.sql.catalyst.catalog.SessionCatalog(
        None,  # no external catalog: registering a function needs none
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
