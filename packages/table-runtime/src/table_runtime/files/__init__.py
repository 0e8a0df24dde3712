"""Folders of files as tables: names and paths, partitions, and atomic changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.files.changes import ChangePart, FileChanges, begin_change
    from table_runtime.files.commit import StagedWrite
    from table_runtime.files.inference import inferred_schema
    from table_runtime.files.metadata import FILE_METADATA, file_metadata
    from table_runtime.files.monitored import MonitoredFiles
    from table_runtime.files.partitions import overwritten_files, partition_folder, partition_values, text_of_value, value_of_text
    from table_runtime.files.paths import WHERE, is_hidden, local_path
    from table_runtime.files.patterns import expanded_paths
    from table_runtime.files.reading import TableFile, TableFiles
    from table_runtime.files.remote import is_remote
    from table_runtime.files.removals import data_files
    from table_runtime.files.samples import parquet_sample
    from table_runtime.files.snapshots import Snapshots, TableSnapshot, visible_files
    from table_runtime.files.splits import FileSplits
    from table_runtime.files.staged_table import StagedFolder, remove_files, staged_folder
    from table_runtime.files.statistics import parquet_statistics

__all__ = [
    "FILE_METADATA",
    "WHERE",
    "ChangePart",
    "FileChanges",
    "FileSplits",
    "MonitoredFiles",
    "Snapshots",
    "StagedFolder",
    "StagedWrite",
    "TableFile",
    "TableFiles",
    "TableSnapshot",
    "begin_change",
    "data_files",
    "expanded_paths",
    "file_metadata",
    "inferred_schema",
    "is_hidden",
    "is_remote",
    "local_path",
    "overwritten_files",
    "parquet_sample",
    "parquet_statistics",
    "partition_folder",
    "partition_values",
    "remove_files",
    "staged_folder",
    "text_of_value",
    "value_of_text",
    "visible_files",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.files.changes": ("ChangePart", "FileChanges", "begin_change"),
        "table_runtime.files.commit": ("StagedWrite",),
        "table_runtime.files.inference": ("inferred_schema",),
        "table_runtime.files.metadata": ("FILE_METADATA", "file_metadata"),
        "table_runtime.files.monitored": ("MonitoredFiles",),
        "table_runtime.files.partitions": ("overwritten_files", "partition_folder", "partition_values", "text_of_value", "value_of_text"),
        "table_runtime.files.paths": ("WHERE", "is_hidden", "local_path"),
        "table_runtime.files.patterns": ("expanded_paths",),
        "table_runtime.files.reading": ("TableFile", "TableFiles"),
        "table_runtime.files.remote": ("is_remote",),
        "table_runtime.files.removals": ("data_files",),
        "table_runtime.files.samples": ("parquet_sample",),
        "table_runtime.files.snapshots": ("Snapshots", "TableSnapshot", "visible_files"),
        "table_runtime.files.staged_table": ("StagedFolder", "remove_files", "staged_folder"),
        "table_runtime.files.statistics": ("parquet_statistics",),
        "table_runtime.files.splits": ("FileSplits",),
    },
)
