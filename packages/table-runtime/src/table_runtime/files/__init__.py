"""Folders of files as tables: names and paths, partitions, and changes that are all or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.files.commit import StagedWrite
    from table_runtime.files.inference import inferred_schema
    from table_runtime.files.journals import is_publishing, visible_files
    from table_runtime.files.metadata import FILE_METADATA, file_metadata
    from table_runtime.files.partitions import overwritten_files, partition_folder, partition_values, text_of_value, value_of_text
    from table_runtime.files.paths import is_hidden, local_path
    from table_runtime.files.reading import TableFile, TableFiles
    from table_runtime.files.splits import FileSplits
    from table_runtime.files.staged_table import StagedFolder, begin_change, remove_files, staged_folder
    from table_runtime.files.statistics import parquet_statistics

__all__ = [
    "FILE_METADATA",
    "FileSplits",
    "StagedFolder",
    "StagedWrite",
    "TableFile",
    "TableFiles",
    "begin_change",
    "file_metadata",
    "inferred_schema",
    "is_hidden",
    "is_publishing",
    "local_path",
    "overwritten_files",
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
        "table_runtime.files.commit": ("StagedWrite",),
        "table_runtime.files.inference": ("inferred_schema",),
        "table_runtime.files.journals": ("is_publishing", "visible_files"),
        "table_runtime.files.metadata": ("FILE_METADATA", "file_metadata"),
        "table_runtime.files.partitions": ("overwritten_files", "partition_folder", "partition_values", "text_of_value", "value_of_text"),
        "table_runtime.files.paths": ("is_hidden", "local_path"),
        "table_runtime.files.reading": ("TableFile", "TableFiles"),
        "table_runtime.files.staged_table": ("StagedFolder", "begin_change", "remove_files", "staged_folder"),
        "table_runtime.files.statistics": ("parquet_statistics",),
        "table_runtime.files.splits": ("FileSplits",),
    },
)
