"""The options of the connectors, with Flink's names."""

from __future__ import annotations

from datetime import timedelta

from table_common.configuration import ConfigOptions

SERVERS_OPTION = (
    ConfigOptions.key("properties.bootstrap.servers")
    .string_type()
    .no_default_value()
    .with_description("The brokers, separated by commas. All properties of Kafka's client can be given with the prefix `properties.`.")
)
TOPIC = (
    ConfigOptions.key("topic")
    .string_type()
    .no_default_value()
    .with_description("The topic; for reading also several, separated by semicolons.")
)
TOPIC_PATTERN = (
    ConfigOptions.key("topic-pattern")
    .string_type()
    .no_default_value()
    .with_description("A regular expression for the whole names of the topics to read, instead of `topic`.")
)
FORMAT = (
    ConfigOptions.key("format")
    .string_type()
    .no_default_value()
    .with_description("The format of the value: another name of `value.format`.")
)
VALUE_FORMAT = ConfigOptions.key("value.format").string_type().no_default_value().with_description("The format of the value.")
KEY_FORMAT = ConfigOptions.key("key.format").string_type().no_default_value().with_description("The format of the key.")
KEY_FIELDS = (
    ConfigOptions.key("key.fields")
    .string_type()
    .no_default_value()
    .with_description("The columns that the key has, separated by semicolons. Needs `key.format`.")
)
KEY_PREFIX = (
    ConfigOptions.key("key.fields-prefix")
    .string_type()
    .default_value("")
    .with_description(
        "A prefix of the names of the key's columns, which the key itself does not have. Needs `value.fields-include` = `EXCEPT_KEY`."
    )
)
VALUE_FIELDS = (
    ConfigOptions.key("value.fields-include")
    .enum_type("ALL", "EXCEPT_KEY")
    .default_value("ALL")
    .with_description("Whether the value has the columns of the key too.")
)
STARTUP_MODE = (
    ConfigOptions.key("scan.startup.mode")
    .enum_type("earliest-offset", "latest-offset", "group-offsets", "timestamp", "specific-offsets")
    .default_value("group-offsets")
    .with_description("Where a scan begins. `group-offsets` are those that the group `properties.group.id` has committed.")
)
STARTUP_TIMESTAMP = (
    ConfigOptions.key("scan.startup.timestamp-millis")
    .int_type()
    .no_default_value()
    .with_description(
        "Where the mode `timestamp` begins: at the first message of each partition that is not older, in milliseconds since 1970."
    )
)
STARTUP_OFFSETS = (
    ConfigOptions.key("scan.startup.specific-offsets")
    .string_type()
    .no_default_value()
    .with_description("Where the mode `specific-offsets` begins: `partition:0,offset:42;partition:1,offset:300`.")
)
BOUNDED_MODE = (
    ConfigOptions.key("scan.bounded.mode")
    .enum_type("unbounded", "latest-offset", "group-offsets", "timestamp", "specific-offsets")
    .default_value("unbounded")
    .with_description("Where a scan ends. Batch mode needs an end: `latest-offset` is that of the data when the job begins.")
)
BOUNDED_TIMESTAMP = (
    ConfigOptions.key("scan.bounded.timestamp-millis")
    .int_type()
    .no_default_value()
    .with_description("Where the mode `timestamp` ends: before the first message of each partition that is not older.")
)
BOUNDED_OFFSETS = (
    ConfigOptions.key("scan.bounded.specific-offsets")
    .string_type()
    .no_default_value()
    .with_description("Where the mode `specific-offsets` ends: before these offsets.")
)
DISCOVERY = (
    ConfigOptions.key("scan.topic-partition-discovery.interval")
    .duration_type()
    .default_value(timedelta(minutes=5))
    .with_description("How often new topics and partitions are looked up; 0: never. They are read from their first message on.")
)
OUT_OF_RANGE = (
    ConfigOptions.key("scan.on-offset-out-of-range")
    .enum_type("fail", "earliest", "latest")
    .default_value("fail")
    .with_description("What happens if messages have been deleted before they were read. Not an option of Flink.")
)
PARTITIONER = (
    ConfigOptions.key("sink.partitioner")
    .string_type()
    .default_value("default")
    .with_description(
        "The partition of a row: `default` (by the hash of the key as Kafka's Java client computes it; without key, by blocks of rows), "
        "`fixed` (all rows of a task in one partition) or `round-robin`."
    )
)
# Differs from Flink: 'sink.delivery-guarantee' is exactly-once by default. Flink's default is at-least-once, because there exactly-once
# needs transactions of the broker.
DELIVERY = (
    ConfigOptions.key("sink.delivery-guarantee")
    .enum_type("exactly-once", "transactional", "at-least-once", "none")
    .default_value("exactly-once")
    .with_description(
        "`exactly-once`: messages have a header by which a repeated commit finds what was written. `transactional` (experimental): in addition, each commit is a transaction of the broker. "
        "`at-least-once`: a repeated commit writes again. `none`: in addition, the broker need not acknowledge messages."
    )
)
TRANSACTIONAL_PREFIX = (
    ConfigOptions.key("sink.transactional-id-prefix")
    .string_type()
    .default_value("table")
    .with_description(
        "The first part of `transactional.id`, which a broker's access rules may demand; a hash of job and topic follows. Used if the guarantee is `transactional`."
    )
)
STAGING_FOLDER = (
    ConfigOptions.key("sink.staging-directory")
    .string_type()
    .no_default_value()
    .with_description(
        "The folder of the rows that wait for their commit: by default one of the user in the folder of temporary files. If tasks run on several machines, a shared one. "
        "Not an option of Flink."
    )
)
FLUSH_ROWS = (
    ConfigOptions.key("sink.buffer-flush.max-rows")
    .int_type()
    .default_value(0)
    .with_description("The number of rows that are buffered to write only the last one of each key; 0: every row is written.")
)
FLUSH_INTERVAL = (
    ConfigOptions.key("sink.buffer-flush.interval")
    .duration_type()
    .default_value(timedelta(0))
    .with_description("Accepted and not used: rows are written with the commit of the job or epoch.")
)
WITHOUT_EFFECT = (
    ConfigOptions.key("sink.parallelism")
    .int_type()
    .no_default_value()
    .with_description("Accepted and not used: the engine chooses the number of tasks."),
    ConfigOptions.key("scan.parallelism")
    .int_type()
    .no_default_value()
    .with_description("Accepted and not used: the engine chooses the number of tasks."),
)
"""Options of Flink's connector that need no counterpart here, so that its table definitions work unchanged."""

_OF_BOTH = (
    KEY_PREFIX,
    VALUE_FIELDS,
    BOUNDED_MODE,
    BOUNDED_TIMESTAMP,
    BOUNDED_OFFSETS,
    DISCOVERY,
    OUT_OF_RANGE,
    PARTITIONER,
    DELIVERY,
    TRANSACTIONAL_PREFIX,
    STAGING_FOLDER,
    *WITHOUT_EFFECT,
)
REQUIRED_OF_KAFKA = (SERVERS_OPTION,)
OF_KAFKA = (
    TOPIC,
    TOPIC_PATTERN,
    FORMAT,
    VALUE_FORMAT,
    KEY_FORMAT,
    KEY_FIELDS,
    STARTUP_MODE,
    STARTUP_TIMESTAMP,
    STARTUP_OFFSETS,
    *_OF_BOTH,
)
REQUIRED_OF_UPSERT_KAFKA = (SERVERS_OPTION, TOPIC, KEY_FORMAT, VALUE_FORMAT)
OF_UPSERT_KAFKA = (FLUSH_ROWS, FLUSH_INTERVAL, *_OF_BOTH)
