"""Registers Spark data sources that are written in Python, per session.

Spark refuses a name that another session of the process has registered, but finds it only in that session. Further sessions therefore register
the source under a name of their own.
"""

from __future__ import annotations

import threading

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource

from table_planner_spark.session.adapters import adapter_of

_LOCK = threading.Lock()
_NAMES: dict[tuple[str, str], str] = {}
"""The registered name of a data source, by session and the source's own name."""


def registered_name(spark: SparkSession, source: type[DataSource]) -> str:
    """Registers the data source in the session, unless that was done before, and returns its name there."""
    session, name = adapter_of(spark).session_id(spark), source.name()
    with _LOCK:
        if (session, name) in _NAMES:
            return _NAMES[session, name]
        try:
            spark.dataSource.register(source)
        except AnalysisException as error:
            if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
                raise
            own_name = f"{name}_{session.replace('-', '')}"
            spark.dataSource.register(type(source.__name__, (source,), {"name": classmethod(lambda cls: own_name)}))
            name = own_name
        _NAMES[session, source.name()] = name
        return name
