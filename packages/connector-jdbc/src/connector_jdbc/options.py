"""The options of the connector, with Flink's names."""

from __future__ import annotations

from datetime import timedelta

from table_common.configuration import ConfigOptions

URL = (
    ConfigOptions.key("url")
    .string_type()
    .no_default_value()
    .with_description(
        "The database: jdbc:postgresql://host:port/database, or a URL of libpq, such as postgresql:///database?host=/run/postgresql."
    )
)
TABLE_NAME = (
    ConfigOptions.key("table-name")
    .string_type()
    .no_default_value()
    .with_description("The table or, for reading, the view: name or schema.name; parts with dots in double quotes.")
)
USERNAME = ConfigOptions.key("username").string_type().no_default_value().with_description("The user, unless the URL names one.")
PASSWORD = ConfigOptions.key("password").string_type().no_default_value().with_description("The user's password.")
CONNECT_TIMEOUT = (
    ConfigOptions.key("connection.max-retry-timeout")
    .duration_type()
    .default_value(timedelta(seconds=60))
    .with_description("How long to wait for a connection.")
)
ASYNC = (
    ConfigOptions.key("lookup.async")
    .boolean_type()
    .default_value(False)
    .with_description("Whether a task looks up several batches of keys at once, over up to 4 connections.")
)
PARTITION_COLUMN = (
    ConfigOptions.key("scan.partition.column")
    .string_type()
    .no_default_value()
    .with_description("The column of numbers, dates or timestamps by which a scan is split.")
)
PARTITION_NUM = ConfigOptions.key("scan.partition.num").int_type().no_default_value().with_description("The number of splits.")
PARTITION_LOWER = (
    ConfigOptions.key("scan.partition.lower-bound")
    .int_type()
    .no_default_value()
    .with_description("The smallest value of the first split; smaller values belong to it too. By default the column's minimum.")
)
PARTITION_UPPER = (
    ConfigOptions.key("scan.partition.upper-bound")
    .int_type()
    .no_default_value()
    .with_description("The largest value of the last split; larger values belong to it too. By default the column's maximum.")
)
FETCH_SIZE = (
    ConfigOptions.key("scan.fetch-size")
    .int_type()
    .default_value(0)
    .with_description("The most rows of a batch; 0: up to 65,536. Rows are streamed, so memory does not grow with the table.")
)
FLUSH_ROWS = (
    ConfigOptions.key("sink.buffer-flush.max-rows")
    .int_type()
    .default_value(100_000)
    .with_description("The rows that a task collects before it sends them to its staging table by COPY.")
)
SINK_RETRIES = (
    ConfigOptions.key("sink.max-retries")
    .int_type()
    .default_value(3)
    .with_description("The number of retries of a commit after a lost connection, a deadlock or a serialization failure.")
)
WITHOUT_EFFECT = (
    ConfigOptions.key("driver")
    .string_type()
    .no_default_value()
    .with_description("Accepted and not used: there is no JVM, and no driver class."),
    ConfigOptions.key("scan.auto-commit")
    .boolean_type()
    .default_value(True)
    .with_description(
        "Accepted and not used: a scan streams its rows in any case, and a split that shares a snapshot reads in a transaction."
    ),
    ConfigOptions.key("sink.buffer-flush.interval")
    .duration_type()
    .default_value(timedelta(seconds=1))
    .with_description("Accepted and not used: rows become visible with the commit of the job or epoch, all together."),
    ConfigOptions.key("sink.parallelism")
    .int_type()
    .no_default_value()
    .with_description("Accepted and not used: the engine chooses the number of tasks."),
)
"""Options of Flink's connector that need no counterpart here, so that its table definitions work unchanged."""
