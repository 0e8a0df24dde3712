"""Sessions of Spark Connect, whose classes are not those of a Spark in this process."""

from __future__ import annotations

from table_common.exceptions import TableException


def is_spark_connect(session: object) -> bool:
    """Returns whether a session is one of Spark Connect."""
    return type(session).__module__.startswith("pyspark.sql.connect.")


def streaming_on_connect() -> TableException:
    """Returns the error for a streaming DataFrame of Spark Connect."""
    return TableException(
        "A streaming DataFrame of Spark Connect cannot be a table: its batches come to a process of the server, and not to this one.",
        hint="Create the session with a master, such as SparkSession.builder.master('local[*]'); or declare the input as a table, and INSERT in streaming mode.",
    )
