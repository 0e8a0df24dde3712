"""The options of the connector, with Flink CDC's names."""

from __future__ import annotations

from datetime import timedelta

from table_common.configuration import ConfigOptions

URL = (
    ConfigOptions.key("url")
    .string_type()
    .no_default_value()
    .with_description(
        "The database instead of 'hostname', 'port' and 'database-name': postgresql://host:port/database, as the connector jdbc takes it."
    )
)
HOSTNAME = ConfigOptions.key("hostname").string_type().no_default_value().with_description("The server, or the folder of its socket.")
PORT = ConfigOptions.key("port").int_type().default_value(5432).with_description("The server's port.")
USERNAME = (
    ConfigOptions.key("username")
    .string_type()
    .no_default_value()
    .with_description("The user, who needs REPLICATION and SELECT on the tables.")
)
PASSWORD = ConfigOptions.key("password").string_type().no_default_value().with_description("The user's password.")
DATABASE_NAME = ConfigOptions.key("database-name").string_type().no_default_value().with_description("The database.")
SCHEMA_NAME = (
    ConfigOptions.key("schema-name")
    .string_type()
    .default_value("public")
    .with_description("The schema, or a regular expression for several.")
)
TABLE_NAME = (
    ConfigOptions.key("table-name")
    .string_type()
    .no_default_value()
    .with_description("The table, or a regular expression for several with the same columns.")
)
SLOT_NAME = (
    ConfigOptions.key("slot.name")
    .string_type()
    .no_default_value()
    .with_description("The replication slot, one for each job; it is created if there is none.")
)
PUBLICATION = (
    ConfigOptions.key("publication.name")
    .string_type()
    .no_default_value()
    .with_description("The publication, by default named as the slot; it is created if there is none.")
)
STARTUP_MODE = (
    ConfigOptions.key("scan.startup.mode")
    .enum_type("initial", "latest-offset", "committed-offset", "snapshot")
    .default_value("initial")
    .with_description(
        "initial copies the tables and then reads the log; latest-offset reads changes from now on; committed-offset from the position of the slot; "
        "snapshot only copies the tables, and so ends."
    )
)
CHANGELOG_MODE = (
    ConfigOptions.key("changelog-mode")
    .enum_type("all", "upsert")
    .no_default_value()
    .with_description(
        "all gives updates with their old rows, for which the tables need REPLICA IDENTITY FULL; upsert gives new rows by primary key. By default all if the tables have it."
    )
)
CHUNK_SIZE = (
    ConfigOptions.key("scan.incremental.snapshot.chunk.size")
    .int_type()
    .default_value(65_536)
    .with_description("The rows of a part of a table that is copied at once; a restarted job continues after the last part.")
)
PARALLELISM = (
    ConfigOptions.key("scan.incremental.snapshot.parallelism")
    .int_type()
    .default_value(2)
    .with_description("How many parts are copied at once, over a connection each.")
)
HEARTBEAT = (
    ConfigOptions.key("heartbeat.interval.ms")
    .duration_type()
    .default_value(timedelta(seconds=30))
    .with_description("How often the slot moves on while the tables have no changes, so that the server can remove its log.")
)
ON_TRUNCATE = (
    ConfigOptions.key("scan.on-truncate")
    .enum_type("fail", "ignore")
    .default_value("fail")
    .with_description("fail stops the job if a table is truncated; ignore keeps the rows that were read before.")
)
DROP_ON_STOP = (
    ConfigOptions.key("slot.drop-on-stop")
    .boolean_type()
    .default_value(False)
    .with_description("Whether the slot is dropped when the job ends, also by a failure: it then cannot continue from a checkpoint.")
)
LAG_WARNING = (
    ConfigOptions.key("slot.lag-warning")
    .memory_type()
    .default_value(1 << 30)
    .with_description("From how many bytes of log that the server keeps for the slot on a warning is logged.")
)
CONNECT_TIMEOUT = (
    ConfigOptions.key("connect.timeout")
    .duration_type()
    .default_value(timedelta(seconds=30))
    .with_description("How long to wait for a connection.")
)
WITHOUT_EFFECT = (
    ConfigOptions.key("decoding.plugin.name")
    .string_type()
    .default_value("pgoutput")
    .with_description("Accepted for the definitions of Flink CDC; only pgoutput, which each server has, is used."),
    ConfigOptions.key("scan.incremental.snapshot.enabled")
    .boolean_type()
    .default_value(True)
    .with_description("Accepted and not used: tables are always copied in parts."),
)

OPTIONAL = (
    URL,
    HOSTNAME,
    PORT,
    USERNAME,
    PASSWORD,
    DATABASE_NAME,
    SCHEMA_NAME,
    SLOT_NAME,
    PUBLICATION,
    STARTUP_MODE,
    CHANGELOG_MODE,
    CHUNK_SIZE,
    PARALLELISM,
    HEARTBEAT,
    ON_TRUNCATE,
    DROP_ON_STOP,
    LAG_WARNING,
    CONNECT_TIMEOUT,
    *WITHOUT_EFFECT,
)
REQUIRED = (TABLE_NAME,)
