"""File formats: how rows are read from files and written to them."""

from table_common.lazy_exports import lazy_exports
from table_runtime.formats.registry import file_format as file_format  # now: later the name would be that of the submodule

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .changelog.sequence_numbers: numbered_changes retracts
    .compression: compressed_extension compression_of
    .counting_file: MeasuredPath
    .file_columns: require_columns
    .file_format: FileFormat FileWriter Piece ROW_KIND_FIELD ReadTask WantedKeys is_local_file
    .read_progress: ReadProgress
    .registry: FILE_FORMATS file_format
    .skipped_rows: Ignored
    """,
)
