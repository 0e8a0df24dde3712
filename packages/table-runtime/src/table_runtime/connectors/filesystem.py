"""The connector ``filesystem``: a folder of files as a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from table_common.annotation import override
from table_common.arrow import to_arrow_filter
from table_common.configuration import ConfigOption
from table_common.connector import (
    ChangelogMode,
    DynamicTableSource,
    FileScanProvider,
    ScanTableSource,
)
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
from table_common.exceptions import TableError, TableInternalError, TableRuntimeException
from table_common.expressions import ResolvedExpression
from table_common.factories import (
    DynamicTableFactory,
    DynamicTableSinkFactory,
    DynamicTableSourceFactory,
    InferredSchema,
)
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.types import LogicalType, RowType
from table_runtime.connectors.filesystem_options import FILE_METADATA, OPTIONAL, REQUIRED, FileTable, file_table
from table_runtime.connectors.filesystem_sink import FileSystemTableSink
from table_runtime.files import (
    TableSnapshot,
    expanded_paths,
    local_path,
    text_of_value,
    value_of_text,
    visible_files,
)
from table_runtime.sources.sample import SupportsSample, TableSample


class FileSystemTableFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    """Creates sources and sinks for folders."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "filesystem"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return REQUIRED

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return OPTIONAL

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        return FileSystemTableSource(file_table(context))

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> FileSystemTableSink:
        return FileSystemTableSink(file_table(context))

    @override
    def infer_schema(self, context: DynamicTableFactory.Context) -> InferredSchema | None:
        """Returns the columns of the first file and its partition columns; None if there is no file yet."""
        from table_runtime.files import inferred_schema  # few statements need it

        definition = file_table(context, check_keys=False)
        return inferred_schema(definition.path, definition.format, definition.format_options, definition.partition_default_name)


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
    SupportsSample,
):
    """Reads a folder. Filters only prune files, row groups and rows, so the engine evaluates them again."""

    definition: FileTable
    produced_type: RowType | None = None
    filters: tuple[ResolvedExpression, ...] = ()
    limit: int | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    partitions: tuple[tuple[str | None, ...], ...] | None = None
    nested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The produced columns that are fields of rows in the files, by the names that lead to them."""
    snapshot: TableSnapshot | None = field(default=None, compare=False, repr=False)
    """The snapshot from which the partitions were listed. The plan is valid for it only, so it is the snapshot that is read."""
    listed: tuple[tuple[tuple[str | None, ...], ...] | None, list[tuple[str, Path]] | None] | None = field(
        default=None, compare=False, repr=False
    )
    """The partitions and the files that were listed for statistics, which a plan asks for several times."""

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
        if definition.monitor_interval is not None:  # more may come
            return None
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
        is_known = self.definition.format == "parquet" and self.definition.monitor_interval is None
        files = self._files() if is_known else None
        if files is None:
            return TableStats.UNKNOWN
        produced = self.produced_type if self.produced_type is not None else self.definition.physical_type
        try:
            from table_runtime.files import parquet_statistics

            return parquet_statistics([file for _, file in files], set(produced.field_names) - self.nested.keys())
        except (OSError, ValueError):  # the reader reports the error
            return TableStats.UNKNOWN

    @override
    def sample(self, columns: Sequence[str]) -> TableSample | None:
        types = {field.name: field.type for field in self.definition.physical_type.fields if field.name not in self.nested}
        from table_runtime.files import parquet_sample

        files = self._files() if self.definition.format == "parquet" else None
        return parquet_sample([file for _, file in files or ()], {name: types.get(name) for name in columns})

    def _files(self) -> list[tuple[str, Path]] | None:
        """Returns the files to read, as they were at the first call, or None if they are remote or cannot be listed."""
        if self.listed is None or self.listed[0] != self.partitions:
            self.listed = self.partitions, self._listed()
        return self.listed[1]

    def _listed(self) -> list[tuple[str, Path]] | None:
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
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        # Differs from Flink: a table with 'source.monitor-interval' can be read in batch mode; it has the files that are there.
        definition = self.definition
        if definition.monitor_interval is not None and not context.is_bounded_required:
            from table_runtime.files import MonitoredFiles  # few queries are unbounded

            provider = replace(self._files_at((definition.path,)), limit=None)  # LIMIT counts the rows of all ranges
            return MonitoredFiles(provider, definition.summary, definition.monitor_interval)
        try:
            paths = (definition.path,) if definition.partition_keys else expanded_paths(definition.path)
        except TableRuntimeException as error:
            raise TableRuntimeException(f"Table {definition.summary}: {error.message}", hint=error.hint) from error
        return self._files_at(paths)

    def _files_at(self, paths: tuple[str, ...]) -> FileScanProvider:
        definition = self.definition
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
