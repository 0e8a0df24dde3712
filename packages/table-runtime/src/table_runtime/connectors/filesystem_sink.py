"""Writes the files of tables of the connector ``filesystem``."""

from __future__ import annotations

from collections.abc import Mapping

from table_common.annotation import override
from table_common.connector import ChangelogMode, DynamicTableSink, FileSinkProvider
from table_common.connector.sink.abilities import StagedTable, SupportsOverwrite, SupportsPartitioning, SupportsStaging, SupportsTruncate
from table_common.frozen_dataclass import dataclass, field
from table_runtime.connectors.filesystem_options import FileTable


@dataclass
class FileSystemTableSink(DynamicTableSink, SupportsOverwrite, SupportsPartitioning, SupportsTruncate, SupportsStaging):
    """Writes files to a folder."""

    definition: FileTable
    overwrite: bool = False
    static_partition: Mapping[str, str] = field(default_factory=dict)
    staged_path: str | None = None

    @override
    def as_summary_string(self) -> str:
        return f"filesystem({self.definition.format}, {self.definition.path})"

    @override
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return self.definition.written_changes

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
        from table_runtime.files import StagedFolder

        staged = StagedFolder(self.definition.path)
        self.staged_path = staged.path
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
            definition.rolling,
            definition.partition_commit,
        )
