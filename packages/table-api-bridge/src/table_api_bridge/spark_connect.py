"""Sessions of Spark Connect, whose classes are not those of a Spark in this process."""

from __future__ import annotations


def is_spark_connect(session: object) -> bool:
    """Returns whether a session is one of Spark Connect."""
    return type(session).__module__.startswith("pyspark.sql.connect.")
