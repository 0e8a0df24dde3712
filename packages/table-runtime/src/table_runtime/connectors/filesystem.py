"""The connector ``filesystem``: a folder of files as a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from table_common.annotation import override
from table_common.arrow import to_arrow_filter
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import (
    ChangelogMode,
    DecodingFormat,
    DynamicTableSink,
    DynamicTableSource,
    FileScanProvider,
    FileSinkProvider,
    ScanTableSource,
)
from table_common.connector.sink.abilities import StagedTable, SupportsOverwrite, SupportsPartitioning, SupportsStaging, SupportsTruncate
from table_common.connector.source import TableStats
from table_common.connector.source.abilities import (
    PartitionValue,
    SupportsDynamicFiltering,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsPartitionPushDown,
    SupportsProjectionPushDown,
    SupportsReadingMetadata,
    SupportsStatisticReport,
)
from table_common.exceptions import TableError, TableException, TableInternalError, TableRuntimeException, ValidationException
from table_common.expressions import ResolvedExpression
from table_common.factories import (
    DeserializationFormatFactory,
    DynamicTableFactory,
    DynamicTableSinkFactory,
    DynamicTableSourceFactory,
    FormatFactory,
    InferredSchema,
    validate_options,
)
from table_common.frozen_dataclass import dataclass, field
from table_common.types import BigIntType, LocalZonedTimestampType, LogicalType, RowType, VarCharType
from table_runtime.files import (
    TableSnapshot,
    expanded_paths,
    local_path,
    text_of_value,
    value_of_text,
    visible_files,
)

__all__ = ["FileSystemTableFactory", "FileSystemTableSink", "FileSystemTableSource"]

CONNECTOR = ConfigOptions.key("connector").string_type().no_default_value()
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
FILE_METADATA: Mapping[str, LogicalType] = {
    "file.path": VarCharType(nullable=False),
    "file.name": VarCharType(nullable=False),
    "file.size": BigIntType(nullable=False),
    "file.modification-time": LocalZonedTimestampType(3, nullable=False),
}
"""Metadata keys of files, with their types."""
STREAMING_ONLY = ("source.monitor-interval",)
"""Options for monitoring a folder, which needs an unbounded source."""


@dataclass(frozen=True)
class _Definition:
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

    @property
    def file_type(self) -> RowType:
        """The row type of the files."""
        fields = tuple(f for f in self.physical_type.fields if f.name not in self.partition_keys)
        return RowType(fields, nullable=False)


class FileSystemTableFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    """Creates sources and sinks for folders."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "filesystem"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (PATH, FORMAT)

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (CONNECTOR, PARTITION_DEFAULT_NAME, MISSING_COLUMNS)

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        return FileSystemTableSource(self._definition(context))

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> FileSystemTableSink:
        return FileSystemTableSink(self._definition(context))

    @override
    def infer_schema(self, context: DynamicTableFactory.Context) -> InferredSchema | None:
        """Returns the columns of the first file and its partition columns; None if there is no file yet."""
        from table_runtime.files import inferred_schema  # few statements need it

        definition = self._definition(context, check_keys=False)
        return inferred_schema(definition.path, definition.format, definition.format_options, definition.partition_default_name)

    def _definition(self, context: DynamicTableFactory.Context, *, check_keys: bool = True) -> _Definition:
        table = context.catalog_table
        where = f"table {context.object_identifier.as_summary_string()}"
        for key in STREAMING_ONLY:
            if key in table.options:
                raise TableException(
                    f"The option '{key}' of {where} is not supported: files are listed once, when a query runs.", hint=f"RESET ('{key}')"
                )
        if not table.options.get(PATH.key, "unset").strip():
            raise ValidationException(f"The option 'path' of {where} is empty.", hint="Name a folder; './' is the working directory.")
        name = table.options.get(FORMAT.key)
        prefix = f"{name}." if name is not None else "\0"
        config: ReadableConfig = validate_options(
            table.options, self.required_options, self.optional_options, where, ignored_prefixes=(prefix,)
        )
        format_options = {key.removeprefix(prefix): value for key, value in table.options.items() if key.startswith(prefix)}
        format_factory = FormatFactory.discover(config.get(FORMAT))
        format_factory.validate(format_options)
        if MISSING_COLUMNS.key in table.options:
            _check_missing_columns(config.get(FORMAT), where)
        decoding = None
        if isinstance(format_factory, DeserializationFormatFactory):
            decoding = format_factory.create_decoding_format(ReadableConfig(format_options))
        row_type = table.resolved_schema.to_physical_row_type()
        unknown = [key for key in table.partition_keys if key not in row_type.field_names]
        if unknown and check_keys:
            raise ValidationException.unknown("Partition column", unknown[0], row_type.field_names, where=where)
        if "\0" in config.get(PATH):
            raise ValidationException(f"The option 'path' of {context.object_identifier.as_summary_string()} contains the character NUL.")
        return _Definition(
            context.object_identifier.as_summary_string(),
            config.get(PATH),
            config.get(FORMAT),
            format_options,
            row_type,
            tuple(table.partition_keys),
            config.get(PARTITION_DEFAULT_NAME),
            decoding,
            config.get(MISSING_COLUMNS) == "null",
        )


def _check_missing_columns(name: str, where: str) -> None:
    from table_runtime.formats import file_format  # few statements need it

    if not file_format(name).names_columns:
        raise ValidationException(
            f"The option '{MISSING_COLUMNS.key}' of {where} has no effect for the format '{name}', whose files do not name their columns "
            "or may leave them out.",
            hint=f"RESET ('{MISSING_COLUMNS.key}')",
        )


@dataclass
class FileSystemTableSource(
    ScanTableSource,
    SupportsProjectionPushDown,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsPartitionPushDown,
    SupportsReadingMetadata,
    SupportsStatisticReport,
    SupportsDynamicFiltering,
):
    """Reads a folder. Filters only prune files, row groups and rows, so the engine evaluates them again."""

    definition: _Definition
    produced_type: RowType | None = None
    filters: tuple[ResolvedExpression, ...] = ()
    limit: int | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    partitions: tuple[tuple[str | None, ...], ...] | None = None
    nested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The produced columns that are fields of rows in the files, by the names that lead to them."""
    snapshot: TableSnapshot | None = field(default=None, compare=False, repr=False)
    """The snapshot from which the partitions were listed. The plan is valid for it only, so it is the snapshot that is read."""

    @override
    def as_summary_string(self) -> str:
        return f"filesystem({self.definition.format}, {self.definition.path})"

    @override
    def get_changelog_mode(self) -> ChangelogMode:
        decoding = self.definition.decoding
        return ChangelogMode.insert_only() if decoding is None else decoding.get_changelog_mode()

    @override
    def list_partitions(self) -> Sequence[Mapping[str, PartitionValue]] | None:
        definition = self.definition
        try:
            self.snapshot = TableSnapshot(local_path(definition.path))
        except (OSError, TableError):
            return None
        keys = definition.partition_keys
        types = {field.name: field.type for field in definition.physical_type.fields}
        try:
            texts = self.snapshot.partitions(keys, definition.partition_default_name)
            return [{key: value_of_text(text, types[key]) for key, text in zip(keys, partition, strict=True)} for partition in texts]
        except (OSError, TableRuntimeException):  # the reader reports the error
            return None

    @override
    def apply_partitions(self, remaining_partitions: Sequence[Mapping[str, PartitionValue]]) -> None:
        keys = self.definition.partition_keys
        self.partitions = tuple(tuple(text_of_value(partition[key]) for key in keys) for partition in remaining_partitions)

    @override
    def list_accepted_filter_fields(self) -> Sequence[str]:
        return self.definition.partition_keys

    @override
    def apply_dynamic_filtering(self, candidate_filter_fields: Sequence[str]) -> None:
        # The engine knows the partitions of the files, so the provider needs no further information.
        unknown = [name for name in candidate_filter_fields if name not in self.definition.partition_keys]
        if unknown:
            raise TableInternalError(f"'{unknown[0]}' is not a partition key of {self.definition.summary}, so it cannot prune files.")

    @override
    def report_statistics(self) -> TableStats:
        files = self._files() if self.definition.format == "parquet" else None
        if files is None:
            return TableStats.UNKNOWN
        produced = self.produced_type if self.produced_type is not None else self.definition.physical_type
        try:
            from table_runtime.files import parquet_statistics

            return parquet_statistics([file for _, file in files], set(produced.field_names) - self.nested.keys())
        except (OSError, ValueError):  # the reader reports the error
            return TableStats.UNKNOWN

    def _files(self) -> list[tuple[str, Path]] | None:
        """Returns the files to read, or None if they are remote or cannot be listed."""
        definition = self.definition
        try:
            if self.snapshot is None:
                return visible_files(local_path(definition.path))
            return self.snapshot.files_of(definition.partition_keys, definition.partition_default_name, self.partitions)
        except (OSError, TableError):
            return None

    @override
    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> SupportsFilterPushDown.Result:
        _, accepted, _ = to_arrow_filter(filters, self.definition.physical_type)
        self.filters = tuple(accepted)
        return SupportsFilterPushDown.Result(self.filters, tuple(filters))

    @property
    @override
    def supports_nested_projection(self) -> bool:
        return self.definition.format == "parquet"

    @override
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.produced_type = produced_type
        if any(len(path) > 1 for path in projected_fields):
            from table_runtime.formats.nested_fields import names_along

            paths = zip(produced_type.field_names, projected_fields, strict=True)
            self.nested = {name: names_along(path, self.definition.physical_type) for name, path in paths if len(path) > 1}

    @override
    def apply_limit(self, limit: int) -> None:
        self.limit = limit

    @override
    def list_readable_metadata(self) -> Mapping[str, LogicalType]:
        decoding = self.definition.decoding
        # Metadata of the format and metadata of the file.
        return FILE_METADATA if decoding is None else {**decoding.list_readable_metadata(), **FILE_METADATA}

    @override
    def apply_readable_metadata(self, metadata_keys: Sequence[str], produced_type: RowType) -> None:
        self.produced_type = produced_type
        names = produced_type.field_names[len(produced_type.fields) - len(metadata_keys) :]
        self.metadata = dict(zip(names, metadata_keys, strict=True))

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> FileScanProvider:
        definition = self.definition
        try:
            paths = (definition.path,) if definition.partition_keys else expanded_paths(definition.path)
        except TableRuntimeException as error:
            raise TableRuntimeException(f"Table {definition.summary}: {error.message}", hint=error.hint) from error
        return FileScanProvider(
            paths,
            definition.format,
            definition.file_type,
            self.produced_type if self.produced_type is not None else definition.physical_type,
            definition.format_options,
            definition.partition_keys,
            definition.partition_default_name,
            self.filters,
            self.limit,
            self.metadata,
            self.partitions,
            definition.nulls_for_missing_columns,
            self.snapshot,
            self.nested,
        )


@dataclass
class FileSystemTableSink(DynamicTableSink, SupportsOverwrite, SupportsPartitioning, SupportsTruncate, SupportsStaging):
    """Writes files to a folder."""

    definition: _Definition
    overwrite: bool = False
    static_partition: Mapping[str, str] = field(default_factory=dict)
    staged_path: str | None = None

    @override
    def as_summary_string(self) -> str:
        return f"filesystem({self.definition.format}, {self.definition.path})"

    @override
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return ChangelogMode.insert_only()

    @override
    def apply_overwrite(self, overwrite: bool) -> None:
        self.overwrite = overwrite

    @override
    def apply_static_partition(self, partition: Mapping[str, str]) -> None:
        self.static_partition = dict(partition)

    @override
    def execute_truncation(self) -> None:
        from table_runtime.files import remove_files  # queries change nothing

        remove_files(self.definition.path, self.definition.format)

    @override
    def apply_staging(self, context: SupportsStaging.StagingContext) -> StagedTable:
        from table_runtime.files import staged_folder

        staged = staged_folder(self.definition.path)
        self.staged_path = str(staged.path)
        return staged

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> FileSinkProvider:
        definition = self.definition
        return FileSinkProvider(
            self.staged_path or definition.path,
            definition.format,
            definition.physical_type,
            definition.format_options,
            definition.partition_keys,
            self.static_partition,
            definition.partition_default_name,
            self.overwrite,
        )
