"""Files in a temporary folder, read and written by a format, and messages of changes."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.connector import RowKind
from table_common.factories import FormatFactory
from table_common.types import RowType, parse_logical_type
from table_runtime.formats import ReadTask, file_format


class Files:
    """Reads and writes one file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "file"

    def read(
        self,
        format_: str,
        columns: dict[str, str],
        text: str | None = None,
        wanted: Sequence[str] | None = None,
        *,
        nulls: bool = False,
        **options: str,
    ) -> list[tuple[Any, ...]]:
        """Returns the rows of the file, or of a file with this text."""
        if text is not None:
            self.path.write_text(text)
        row_type = row_of(columns)
        names = tuple(wanted) if wanted is not None else row_type.field_names
        given = {key.replace("_", "-"): value for key, value in options.items()}
        rows: list[tuple[Any, ...]] = []
        for piece in file_format(format_).read(ReadTask(self.path, row_type, names, given, nulls_for_missing_columns=nulls)):
            batch = piece()
            assert (
                batch.schema.equals(to_arrow_schema(RowType(tuple(f for n in names for f in row_type.fields if f.name == n)))) or not names
            )
            rows += zip(*(column.to_pylist() for column in batch.columns), strict=True)
        return rows

    def write(self, format_: str, columns: dict[str, str], rows: Sequence[tuple[Any, ...]], **options: str) -> str:
        """Writes the rows and returns the file's text, empty if it is no text."""
        self.write_bytes(format_, columns, rows, **options)
        return "" if format_ in ("parquet", "orc") else self.path.read_text()

    def write_bytes(self, format_: str, columns: dict[str, str], rows: Sequence[tuple[Any, ...]], **options: str) -> None:
        """Writes the rows."""
        row_type = row_of(columns)
        schema = to_arrow_schema(row_type)
        arrays = [pa.array([row[i] for row in rows], type=field.type) for i, field in enumerate(schema)]
        given = {key.replace("_", "-"): value for key, value in options.items()}
        writer = file_format(format_).open_writer(self.path, row_type, given)
        writer.write(pa.RecordBatch.from_arrays(arrays, schema=schema))
        writer.close()


def row_of(columns: dict[str, str]) -> RowType:
    return RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.fixture
def decode() -> Callable[..., list[tuple[Any, ...]]]:
    """Gives a function that reads messages of changes, of the columns id and name unless told: (row kind, columns…, metadata…) of each change."""
    two_columns = row_of({"id": "INT", "name": "STRING"})

    def read(
        format_: str, messages: list[Any], metadata: tuple[str, ...] = (), row_type: RowType = two_columns, **options: str
    ) -> list[tuple[Any, ...]]:
        factory: Any = FormatFactory.discover(format_)
        decoding = factory.create_decoding_format(ReadableConfig({key.replace("_", "-"): value for key, value in options.items()}))
        decoding.apply_readable_metadata(metadata)
        decoder = pickle.loads(pickle.dumps(decoding.create_runtime_decoder(row_type)))
        texts = [m if m is None else m.encode() if isinstance(m, str) else json.dumps(m).encode() for m in messages]
        batch = pa.record_batch(decoder.decode(pa.array(texts, type=pa.binary())).rows)
        kinds = [RowKind(code).short_string for code in batch.columns[-1].to_pylist()]
        return list(zip(kinds, *(column.to_pylist() for column in batch.columns[:-1]), strict=True))

    return read
