"""Folders of files as tables: names and paths, partitions, and changes that are all or nothing."""

from table_runtime.files.commit import StagedWrite, is_publishing, visible_files
from table_runtime.files.partitions import overwritten_files, partition_folder, partition_values
from table_runtime.files.paths import is_hidden, local_path

__all__ = [
    "StagedWrite",
    "is_hidden",
    "is_publishing",
    "local_path",
    "overwritten_files",
    "partition_folder",
    "partition_values",
    "visible_files",
]
