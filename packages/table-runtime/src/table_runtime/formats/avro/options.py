"""The options of the format ``avro``."""

from __future__ import annotations

from table_common.configuration import ConfigOptions

CODEC = (
    ConfigOptions.key("codec")
    .enum_type("null", "deflate", "snappy", "bzip2", "xz", "zstandard")
    .default_value("snappy")
    .with_description("Compression of the blocks of written files.")
)
LEGACY_TIMESTAMPS = (
    ConfigOptions.key("timestamp_mapping.legacy")
    .boolean_type()
    .default_value(True)
    .with_description("If true, TIMESTAMP is written as timestamp-millis in UTC; otherwise as local-timestamp-millis.")
)
