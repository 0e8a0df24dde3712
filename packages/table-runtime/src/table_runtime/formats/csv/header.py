"""The header of CSV files: the names of the columns in their first record."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import RowField, RowType, VarCharType
from table_runtime.formats.csv.blocks import opened
from table_runtime.formats.csv.records import CsvDialect, read_records
from table_runtime.formats.lines import BYTE_ORDER_MARK

_BYTES = 1 << 16


def read_header(path: Path, dialect: CsvDialect) -> tuple[list[str], int]:
    """Returns the fields of the first record that is not empty, and the number of bytes up to its end, without a byte order mark.

    Raises:
        TableRuntimeException: the file cannot be read.
    """
    data = b""
    try:
        with opened(path, dialect.encoding) as file:
            while True:
                more = file.read(_BYTES)
                data += more
                text = data.removeprefix(BYTE_ORDER_MARK).decode(errors="surrogateescape")
                for record in read_records(text, dialect, final=not more):
                    if record.problem or record.fields != [""]:
                        return record.fields, len(text[: record.end].encode(errors="surrogateescape"))
                if not more:
                    return [], len(text.encode(errors="surrogateescape"))
    except OSError as error:
        raise TableRuntimeException(f"The CSV file '{path}' cannot be read: {error}") from error


def column_names(fields: Sequence[str]) -> list[str]:
    """Returns the names of the columns: those of the header without spaces at their ends, each once; a column without a name is f0, f1, …"""
    names: list[str] = []
    for position, text in enumerate(fields):
        plain = text.strip() or f"f{position}"
        name, number = plain, 2
        while name in names:
            name, number = f"{plain}_{number}", number + 1
        names.append(name)
    return names


def type_by_header(path: Path, fields: Sequence[str], declared: RowType, wanted: RowType) -> RowType:
    """Returns the row type of the records: the columns of the header, with the declared types.

    Raises:
        ValidationException: the header lacks a column that is read.
    """
    names = column_names(fields)
    for field in wanted.fields:
        if field.name not in names:
            raise ValidationException.unknown(
                "Column",
                field.name,
                names,
                where=f"the header of the CSV file '{path}'",
                hint="'csv.header' = 'false' finds columns by position",
            )
    types = {field.name: field.type for field in declared.fields}
    return RowType(tuple(RowField(name, types.get(name, VarCharType())) for name in names), nullable=False)
