"""Conversion of SQL values to SQLite's storage classes (integers, floating-point numbers, text, bytes) and back."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import conform_array, to_arrow_schema, to_arrow_type
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import (
    EXACT_INTEGERS,
    BinaryType,
    BooleanType,
    CharType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    LogicalType,
    PrecisionTimeType,
    RowField,
    RowType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
)

_TEXTS = (DecimalType, DateType, TimeType, TimestampType, LocalZonedTimestampType)
"""Types that are stored as text."""


def storage_class(type_: LogicalType) -> str | None:
    """Returns SQLite's storage class for a type, or None if values of the type cannot be stored."""
    if isinstance(type_, (*EXACT_INTEGERS, BooleanType)):
        return "INTEGER"
    if isinstance(type_, (FloatType, DoubleType)):
        return "REAL"
    if isinstance(type_, (CharType, VarCharType, *_TEXTS)):
        return "TEXT"
    return "BLOB" if isinstance(type_, (BinaryType, VarBinaryType)) else None


def require_storable(row_type: RowType, where: str) -> None:
    """Raises a ``ValidationException`` if SQLite cannot store the type of a column."""
    for field in row_type.fields:
        if storage_class(field.type) is None:
            raise ValidationException(
                f"Column '{field.name}' of {where} is {field.type}, which SQLite cannot store.",
                hint="store it as text: CAST(… AS STRING), or JSON_STRING(…)",
            )


def sample_of(type_: LogicalType) -> str:
    """Returns a constant of the type's storage class: it tells the driver the type of a column that may begin with NULLs."""
    return {"INTEGER": "0", "REAL": "0.0", "TEXT": "''", "BLOB": "x''"}[storage_class(type_) or "BLOB"]


def select_of(name: str, type_: LogicalType) -> str:
    """Returns the SQL that selects a column: decimals, which may be stored as numbers, are read as text."""
    return f"CAST({name} AS TEXT)" if isinstance(type_, DecimalType) else name


def from_storage(batch: pa.RecordBatch, row_type: RowType, where: str) -> pa.RecordBatch:
    """Converts rows that SQLite returned to the canonical Arrow schema.

    Raises:
        TableRuntimeException: stored values do not have the declared type; the message names the column and both types.
    """
    columns = []
    for column, field in zip(batch.columns, row_type.fields, strict=True):
        try:
            columns.append(conform_array(_read(column, field.type), field.type, f"Column '{field.name}' of {where}"))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValidationException) as error:
            reason = f": {error}" if isinstance(error, pa.ArrowInvalid) else ""
            raise TableRuntimeException(
                f"Column '{field.name}' of {where} is declared as {field.type}, stored as {storage_class(field.type)}, "
                f"but has {_class_of(column.type)} that cannot be converted{reason}.",
                hint=f'SQLite\'s typeof("{field.name}") returns the storage class of each row; a STRING column accepts all texts',
            ) from error
    return pa.RecordBatch.from_arrays(columns, schema=to_arrow_schema(row_type))


def _read(column: pa.Array, type_: LogicalType) -> pa.Array:
    if isinstance(type_, PrecisionTimeType) and pa.types.is_string(column.type):
        try:
            return _read_times(column, type_)
        except pa.ArrowInvalid:
            most = 6 if type_.precision <= 6 else 9
            return _read_times(pc.replace_substring_regex(column, rf"(\.\d{{{most}}})\d+", r"\1"), type_)
    if isinstance(type_, BooleanType) and pa.types.is_integer(column.type):
        return pc.not_equal(column, pa.scalar(0, column.type))
    if isinstance(type_, FloatType) and pa.types.is_floating(column.type):
        return pc.cast(column, pa.float32())
    if isinstance(type_, _TEXTS) and pa.types.is_string(column.type):
        return pc.cast(column, to_arrow_type(type_))
    if isinstance(type_, (DoubleType, FloatType)) and pa.types.is_integer(column.type):
        return pc.cast(column, to_arrow_type(type_))
    return column


def _read_times(column: pa.Array, type_: PrecisionTimeType) -> pa.Array:
    target = to_arrow_type(type_)
    if isinstance(type_, TimeType):
        # Arrow parses timestamps, but not times of day.
        moments = pc.cast(pc.binary_join_element_wise(pa.scalar("1970-01-01"), column, pa.scalar(" ")), pa.timestamp(target.unit))
        return pc.cast(moments, pa.time64(target.unit))
    return _nanoseconds(column, target) if type_.precision > 6 else pc.cast(column, target)


def _nanoseconds(column: pa.Array, target: pa.DataType) -> pa.Array:
    """Parses timestamps with nanoseconds; Arrow's cast overflows in the first second of its range."""
    try:
        return pc.cast(column, target)
    except pa.ArrowInvalid:
        seconds = pc.cast(pc.cast(pc.utf8_slice_codeunits(column, 0, 19), pa.timestamp("s")), pa.int64())
        digits = pc.utf8_rtrim(pc.utf8_slice_codeunits(column, 20, 30), "Z")
        fraction = pc.cast(pc.utf8_rpad(digits, 9, "0"), pa.int64())
        before = pc.less(seconds, 0)
        whole = pc.multiply_checked(pc.if_else(before, pc.add(seconds, 1), seconds), 10**9)
        return pc.cast(pc.add_checked(whole, pc.if_else(before, pc.subtract(fraction, 10**9), fraction)), target)


def _class_of(type_: pa.DataType) -> str:
    if pa.types.is_integer(type_):
        return "integers"
    if pa.types.is_floating(type_):
        return "floating point numbers"
    return "texts" if pa.types.is_string(type_) else "bytes"


def to_storage(batch: pa.RecordBatch, row_type: RowType) -> pa.RecordBatch:
    """Converts rows to SQLite's storage classes.

    Raises:
        TableRuntimeException: SQLite would return another value than the one written.
    """
    for column, field in zip(batch.columns, row_type.fields, strict=True):
        _refuse_lost(column, field)
    columns: list[Any] = [_write(column, field.type) for column, field in zip(batch.columns, row_type.fields, strict=True)]
    return pa.RecordBatch.from_arrays(columns, names=[field.name for field in row_type.fields])


def _refuse_lost(column: pa.Array, field: RowField) -> None:
    """Raises a ``TableRuntimeException`` for NaN, which SQLite stores as NULL; -0.0 is stored as 0.0, which equals it."""
    if pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py():
        raise TableRuntimeException(
            f"Column '{field.name}' of the type {field.type.summary()} has the value NaN, which SQLite stores as NULL.",
            hint="NULLIF and CASE write something else, CAST(… AS STRING) writes the text NaN",
        )


def _write(column: pa.Array, type_: LogicalType) -> pa.Array:
    if isinstance(type_, (*EXACT_INTEGERS, BooleanType)):
        return pc.cast(column, pa.int64())
    if isinstance(type_, FloatType):
        return pc.cast(column, pa.float64())
    if isinstance(type_, LocalZonedTimestampType):
        # UTC with a Z: a cast with a time zone would need a time zone database.
        text = pc.cast(pc.cast(column, pa.timestamp(column.type.unit)), pa.string())
        return pc.binary_join_element_wise(text, pa.scalar("Z"), pa.scalar(""))
    if isinstance(type_, _TEXTS):
        return pc.cast(column, pa.string())
    return column
