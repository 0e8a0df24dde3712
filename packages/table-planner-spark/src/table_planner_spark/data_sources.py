"""Data sources of Spark's that are written in Python, registered in the session that uses them.

Spark refuses a name that another session of the same process has registered, although it does not find it from there: such a session gets a name
of its own.
"""

from __future__ import annotations

import threading

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource

__all__ = ["registered_name"]

_LOCK = threading.Lock()
_NAMES: dict[tuple[str, str], str] = {}
"""Sessions and names of sources, to the names by which these are known there."""


def registered_name(spark: SparkSession, source: type[DataSource]) -> str:
    """Registers a data source if the session does not know it; returns the name to be used for it there."""
    session, name = str(spark._jsparkSession.sessionUUID()), source.name()
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
