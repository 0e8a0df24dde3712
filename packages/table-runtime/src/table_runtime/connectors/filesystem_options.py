"""The options of the connector ``filesystem``, and the definition of a table that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import ChangelogMode, DecodingFormat, PartitionCommit, RollingPolicy
from table_common.exceptions import ValidationException
from table_common.factories import (
    DeserializationFormatFactory,
    DynamicTableFactory,
    FormatFactory,
    SerializationFormatFactory,
    validate_options,
)
from table_common.frozen_dataclass import dataclass, field
from table_common.types import BigIntType, LocalZonedTimestampType, LogicalType, RowType, VarCharType
from table_runtime.connectors.filesystem_sink_options import SINK_OPTIONS, partition_commit, rolling_policy

PATH = ConfigOptions.key("path").string_type().no_default_value().with_description("The folder of the table; for reading also a file.")
FORMAT = ConfigOptions.key("format").string_type().no_default_value().with_description("The format of the files, such as 'parquet'.")
PARTITION_DEFAULT_NAME = (
    ConfigOptions.key("partition.default-name")
    .string_type()
    .default_value("__HIVE_DEFAULT_PARTITION__")
    .with_description("The name of the folder for partition values that are NULL or empty.")
)
MISSING_COLUMNS = (
    ConfigOptions.key("missing-columns")
    .enum_type("error", "null")
    .default_value("error")
    .with_description("How a column that a Parquet, ORC or Avro file lacks is read: as an error, or as NULL.")
)
MONITOR_INTERVAL = (
    ConfigOptions.key("source.monitor-interval")
    .duration_type()
    .no_default_value()
    .with_description(
        "How often the folder is listed for new files in streaming mode, where the table then never ends; without it files are listed once."
    )
)
FILE_METADATA: Mapping[str, LogicalType] = {
    "file.path": VarCharType(nullable=False),
    "file.name": VarCharType(nullable=False),
    "file.size": BigIntType(nullable=False),
    "file.modification-time": LocalZonedTimestampType(3, nullable=False),
}
"""Metadata keys of files, with their types."""
REQUIRED: tuple[ConfigOption[Any], ...] = (PATH, FORMAT)
OPTIONAL: tuple[ConfigOption[Any], ...] = (PARTITION_DEFAULT_NAME, MISSING_COLUMNS, MONITOR_INTERVAL, *SINK_OPTIONS)


@dataclass(frozen=True)
class FileTable:
    """The table definition shared by source and sink."""

    summary: str
    path: str
    format: str
    format_options: Mapping[str, str]
    physical_type: RowType
    partition_keys: tuple[str, ...]
    partition_default_name: str
    decoding: DecodingFormat | None = None
    """The decoding format of message formats: it defines the changelog mode and the metadata."""
    nulls_for_missing_columns: bool = False
    monitor_interval: float | None = None
    """Seconds between listings for new files in streaming mode; None: files are listed once."""
    rolling: RollingPolicy = field(default_factory=RollingPolicy)
    partition_commit: PartitionCommit | None = None
    written_changes: ChangelogMode = field(default_factory=ChangelogMode.insert_only)
    """The changes that the format can write."""

    @property
    def file_type(self) -> RowType:
        """The row type of the files."""
        fields = tuple(f for f in self.physical_type.fields if f.name not in self.partition_keys)
        return RowType(fields, nullable=False)


def file_table(context: DynamicTableFactory.Context, *, check_keys: bool = True) -> FileTable:
    """Returns the definition of a table from its options.

    Raises:
        ValidationException: an option is unknown, missing or wrong.
    """
    table = context.catalog_table
    where = context.where
    if not table.options.get(PATH.key, "unset").strip():
        raise ValidationException(f"The option 'path' of {where} is empty.", hint="Name a folder; './' is the working directory.")
    name = table.options.get(FORMAT.key)
    prefix = f"{name}." if name is not None else "\0"
    optional = (DynamicTableFactory.CONNECTOR, *OPTIONAL)
    config: ReadableConfig = validate_options(table.options, REQUIRED, optional, where, ignored_prefixes=(prefix,))
    format_options = {key.removeprefix(prefix): value for key, value in table.options.items() if key.startswith(prefix)}
    format_factory = FormatFactory.discover(config.get(FORMAT))
    format_factory.validate(format_options)
    if MISSING_COLUMNS.key in table.options:
        _check_missing_columns(config.get(FORMAT), where)
    decoding = None
    if isinstance(format_factory, DeserializationFormatFactory):
        decoding = format_factory.create_decoding_format(ReadableConfig(format_options))
    written_changes = ChangelogMode.insert_only()
    if isinstance(format_factory, SerializationFormatFactory):
        written_changes = format_factory.create_encoding_format(ReadableConfig(format_options)).get_changelog_mode()
    row_type = table.resolved_schema.to_physical_row_type()
    unknown = [key for key in table.partition_keys if key not in row_type.field_names]
    if unknown and check_keys:
        raise ValidationException.unknown("Partition column", unknown[0], row_type.field_names, where=where)
    if "\0" in config.get(PATH):
        raise ValidationException(f"The option 'path' of {context.object_identifier.as_summary_string()} contains the character NUL.")
    default_name = config.get(PARTITION_DEFAULT_NAME)
    if not default_name.strip(".") or any(character in default_name for character in "/\\\0=") or "%2f" in default_name.lower():
        raise ValidationException(
            f"The option '{PARTITION_DEFAULT_NAME.key}' of {where} must be the name of a folder, without '/', '\\' and '=', but is '{default_name}'."
        )
    return FileTable(
        context.object_identifier.as_summary_string(),
        config.get(PATH),
        config.get(FORMAT),
        format_options,
        row_type,
        tuple(table.partition_keys),
        default_name,
        decoding,
        config.get(MISSING_COLUMNS) == "null",
        _monitor_interval(table.options, config, where),
        rolling_policy(config, where),
        partition_commit(config, table.options, table.partition_keys, where),
        written_changes,
    )


def _monitor_interval(options: Mapping[str, str], config: ReadableConfig, where: str) -> float | None:
    if MONITOR_INTERVAL.key not in options:
        return None
    interval = config.get(MONITOR_INTERVAL).total_seconds()
    if interval <= 0:
        raise ValidationException(
            f"The option '{MONITOR_INTERVAL.key}' of {where} must be positive, but is '{options[MONITOR_INTERVAL.key]}'."
        )
    return float(interval)


def _check_missing_columns(name: str, where: str) -> None:
    from table_runtime.formats import file_format  # few statements need it

    if not file_format(name).names_columns:
        raise ValidationException(
            f"The option '{MISSING_COLUMNS.key}' of {where} has no effect for the format '{name}', whose files do not name their columns "
            "or may leave them out.",
            hint=f"RESET ('{MISSING_COLUMNS.key}')",
        )
