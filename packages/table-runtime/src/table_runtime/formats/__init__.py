"""File formats: how rows are read from files and written to them."""

from table_runtime.formats.file_format import FILE_FORMATS, FileFormat, FileWriter, Piece, ReadTask, file_format

__all__ = ["FILE_FORMATS", "FileFormat", "FileWriter", "Piece", "ReadTask", "file_format"]
