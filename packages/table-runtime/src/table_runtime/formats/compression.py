"""Compressed files: the file name decides when reading, an option when writing."""

from __future__ import annotations

from collections.abc import Mapping

from table_common.configuration import ConfigOptions
from table_common.connector import FileSinkProvider

COMPRESSION = (
    ConfigOptions.key("compression")
    .enum_type("NONE", "GZIP", "BZIP2", "ZSTD", "XZ", "DEFLATE")
    .default_value("NONE")
    .with_description("Compression of written files. Files are decompressed according to their extension: .gz, .bz2, .zst, .xz, .deflate.")
)
EXTENSIONS = {"gz": "GZIP", "gzip": "GZIP", "bz2": "BZIP2", "zst": "ZSTD", "zstd": "ZSTD", "xz": "XZ", "deflate": "DEFLATE"}
"""File name extensions to codecs."""
_WRITTEN = {"GZIP": "gz", "BZIP2": "bz2", "ZSTD": "zst", "XZ": "xz", "DEFLATE": "deflate"}


def compression_of(name: str) -> str | None:
    """Returns the codec of a file's extension, or None."""
    return EXTENSIONS.get(name.rpartition(".")[2].lower())


def compression_extension(options: Mapping[str, str]) -> str:
    """Returns the file extension of the option's codec, with its dot; empty without compression."""
    extension = _WRITTEN.get(str(options.get(COMPRESSION.key, "NONE")).upper())
    return f".{extension}" if extension else ""


def compressed_extension(provider: FileSinkProvider) -> str:
    """Returns the compression extension of a sink's files; empty for formats that compress internally."""
    return "" if provider.format in ("avro", "orc", "parquet") else compression_extension(provider.format_options)
