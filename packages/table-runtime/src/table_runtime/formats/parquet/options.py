"""The option of the format ``parquet``."""

from __future__ import annotations

from table_common.configuration import ConfigOptions

COMPRESSION = (
    ConfigOptions.key("compression")
    .enum_type("SNAPPY", "GZIP", "ZSTD", "BROTLI", "LZ4", "UNCOMPRESSED")
    .default_value("SNAPPY")
    .with_description("Compression of the column chunks of written files.")
)
