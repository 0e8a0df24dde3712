"""File formats: how rows are read from files and written to them."""

from table_runtime.formats.changelog.sequence_numbers import numbered_changes, retracts
from table_runtime.formats.compression import compressed_extension, compression_of
from table_runtime.formats.counting_file import MeasuredPath
from table_runtime.formats.file_columns import require_columns
from table_runtime.formats.file_format import ROW_KIND_FIELD, FileFormat, FileWriter, Piece, ReadTask, WantedKeys, is_local_file
from table_runtime.formats.read_progress import ReadProgress
from table_runtime.formats.registry import FILE_FORMATS, file_format
from table_runtime.formats.skipped_rows import Ignored

__all__ = [
    "FILE_FORMATS",
    "ROW_KIND_FIELD",
    "FileFormat",
    "FileWriter",
    "Ignored",
    "MeasuredPath",
    "Piece",
    "ReadProgress",
    "ReadTask",
    "WantedKeys",
    "compressed_extension",
    "compression_of",
    "file_format",
    "is_local_file",
    "numbered_changes",
    "require_columns",
    "retracts",
]
