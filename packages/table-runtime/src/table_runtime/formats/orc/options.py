"""The options of the format ``orc``."""

from __future__ import annotations

from table_common.configuration import ConfigOptions

COMPRESS = (
    ConfigOptions.key("compress")
    .enum_type("ZLIB", "SNAPPY", "LZ4", "ZSTD", "NONE")
    .default_value("ZLIB")
    .with_description("Compression of the stripes of written files.")
)
READ_IN_PROCESS = (
    ConfigOptions.key("read-in-process")
    .boolean_type()
    .default_value(False)
    .with_description(
        "Whether each local file is read in a separate process, so that a damaged file cannot crash this process. "
        "A local file whose lengths require far more memory than its size suggests is always read in this way."
    )
)
