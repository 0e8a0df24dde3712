"""Clones of a session whose Spark this process drives, and what Spark keeps for a thread: no public call of PySpark reaches these.

The names of the JVM that this module calls may differ in another version of Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, cast
from weakref import WeakKeyDictionary, WeakSet

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark import RDD
from pyspark.sql import DataFrame, SparkSession

from table_planner_spark.spark_internals import java_context, java_frame, java_session, jvm_of

_WATCHED: WeakKeyDictionary[SparkSession, tuple[Any, Any]] = WeakKeyDictionary()
_WITH_TAGS: WeakSet[SparkSession] = WeakSet()
"""The clones of sessions that had tags: a clone keeps these for its threads."""


def clone_session(spark: SparkSession, options: Mapping[str, str]) -> SparkSession:
    """Returns a session with the options, temporary views and functions of another, and with some options of its own."""
    java = java_session(spark).cloneSession()
    with_frames_of_rdds = vars(RDD).get("toDF")
    clone = SparkSession(spark.sparkContext, java)
    if with_frames_of_rdds is not None:
        cast("Any", RDD).toDF = with_frames_of_rdds  # PySpark makes each new session the one in which RDD.toDF makes DataFrames
    if not java.managedJobTags().get().isEmpty():
        _WITH_TAGS.add(clone)
    set_options(clone, options)
    return clone


def set_options(spark: SparkSession, options: Mapping[str, str]) -> None:
    """Sets those options of a session that have other values: Spark logs a warning for each deprecated one that is set."""
    for key, value in options.items():
        if spark.conf.get(key, None) != value:
            spark.conf.set(key, value)


def state_of(spark: SparkSession) -> Hashable:
    """Returns a value that is another one after an option, temporary view, function or the current database of the session has changed."""
    watched = _WATCHED.get(spark)
    if watched is None:
        state = java_session(spark).sessionState()
        parts = jvm_of(spark).java.util.ArrayList()
        registries = (state.functionRegistry(), state.tableFunctionRegistry())
        for part in (state.conf().settings(), state.catalog().tempViews(), *(registry.functionBuilders() for registry in registries)):
            parts.add(part)
        watched = _WATCHED[spark] = parts, java_session(spark).catalog()
    parts, catalog = watched
    try:
        return parts.hashCode(), catalog.currentCatalog(), catalog.currentDatabase()
    except Py4JJavaError:  # another thread changed it meanwhile
        return object()


def frame_in(frame: DataFrame, spark: SparkSession) -> DataFrame:
    """Returns the rows of a DataFrame as one of another session of the same Spark. Its analyzed plan stays as it is."""
    if frame.sparkSession is spark:
        return frame
    classic = jvm_of(spark).org.apache.spark.sql.classic
    return DataFrame(classic.Dataset.ofRows(java_session(spark), java_frame(frame).logicalPlan()), spark)


def call_in_job(spark: SparkSession, clone: SparkSession, tag: str, description: str) -> Callable[[], None]:
    """Returns the call that a job's thread makes first. Called in the thread of the caller, whose local properties and tags the job gets.

    These are among others its job group and scheduler pool. The job itself is named by a tag and a description.
    """
    context = java_context(spark.sparkContext).sc()
    properties = context.getLocalProperties().clone()
    tags = java_session(spark).managedJobTags().get()
    of_session = "" if tags.isEmpty() else tags.values().mkString(",")

    def begin() -> None:
        if clone in _WITH_TAGS:
            clone.clearTags()
        context.setLocalProperties(properties)
        for one in filter(None, of_session.split(",")):
            context.addJobTag(one)
        context.addJobTag(tag)
        context.setLocalProperty("spark.job.description", description)
        context.setLocalProperty("spark.job.interruptOnCancel", "true")

    return begin
