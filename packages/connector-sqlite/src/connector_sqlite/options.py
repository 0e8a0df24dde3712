"""The options of the connector."""

from __future__ import annotations

from datetime import timedelta

from table_common.configuration import ConfigOptions

PATH = (
    ConfigOptions.key("path")
    .string_type()
    .no_default_value()
    .with_fallback_keys("url")
    .with_description("The database file; sqlite:///… is accepted too.")
)
TABLE_NAME = ConfigOptions.key("table-name").string_type().no_default_value().with_description("The table or, for reading, the view.")
PARTITIONS = (
    ConfigOptions.key("scan.partition.num")
    .int_type()
    .default_value(1)
    .with_description("The number of ranges of row ids into which a scan is split, each read by a task.")
)
MAX_RETRIES = (
    ConfigOptions.key("connection.max-retries")
    .int_type()
    .default_value(3)
    .with_description("The number of retries while the database is locked.")
)
RETRY_DELAY = (
    ConfigOptions.key("connection.retry-delay")
    .duration_type()
    .default_value(timedelta(milliseconds=500))
    .with_description("The delay before the first retry; it doubles with each retry.")
)
BUSY_TIMEOUT = (
    ConfigOptions.key("connection.busy-timeout")
    .duration_type()
    .default_value(timedelta(seconds=30))
    .with_description("How long to wait for the lock of another connection.")
)
TRACE_FILE = (
    ConfigOptions.key("connection.trace-file")
    .string_type()
    .no_default_value()
    .with_description("A file to which each statement for SQLite is appended, one per line, by all processes.")
)
