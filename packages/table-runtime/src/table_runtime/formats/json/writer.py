"""Writes rows as JSON lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.configuration import ReadableConfig
from table_common.types import RowType
from table_runtime.formats.compressed_files import compressed
from table_runtime.formats.file_format import FileWriter
from table_runtime.formats.json import options as opt
from table_runtime.formats.json.rows import join_messages
from table_runtime.formats.json.texts import JsonStyle, text_writer


class JsonEncoder:
    """Encodes rows as JSON objects."""

    def __init__(self, row_type: RowType, config: ReadableConfig, format_name: str = "json") -> None:
        style = JsonStyle(
            format_name,
            config.get(opt.TIMESTAMP_FORMAT),
            config.get(opt.MAP_NULL_KEY_MODE),
            config.get(opt.MAP_NULL_KEY_LITERAL),
            config.get(opt.IGNORE_NULL_FIELDS),
            config.get(opt.DECIMAL_AS_PLAIN_NUMBER),
        )
        self._write = text_writer(row_type, style)

    def lines(self, rows: pa.StructArray) -> pa.Array:
        """Returns the text of each row.

        Raises:
            TableRuntimeException: a map has a NULL key.
        """
        return pc.fill_null(self._write(rows), "null")


class JsonWriter(FileWriter):
    """Writes a file with one object per line."""

    def __init__(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> None:
        self._encoder = JsonEncoder(row_type, ReadableConfig(options))
        self._file = compressed(path.open("wb"), path.name)

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        lines = self._encoder.lines(batch.to_struct_array())
        if len(lines):
            self._file.write(join_messages(lines.cast(pa.binary())) + b"\n")

    @override
    def close(self) -> None:
        self._file.close()
