"""Folders of files as tables: names and paths, partitions, and atomic changes."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .changes: ChangePart FileChanges begin_change folder_at
    .inference: inferred_schema
    .local_folder: LocalChange
    .metadata: FILE_METADATA file_metadata
    .monitored: MonitoredFiles
    .partitions: overwritten_files partition_folder partition_values text_of_value value_of_text
    .paths: WHERE is_hidden local_path
    .patterns: expanded_paths
    .reading: TableFile TableFiles
    .remote: is_remote
    .removals: data_files
    .samples: parquet_sample
    .snapshots: Snapshots TableSnapshot visible_files
    .splits: FileSplits
    .staged_table: StagedFolder remove_files
    .statistics: parquet_statistics
    .table_folder: TableChange TableFolder
    """,
)
