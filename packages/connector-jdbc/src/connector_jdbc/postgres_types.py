"""The types of PostgreSQL and of SQL: which belong together, how a column is selected, read and written."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from connector_jdbc.postgres_column import PostgresColumn
from table_common.arrow import compute as pc
from table_common.arrow import conform_array, to_arrow_schema, to_arrow_type
from table_common.connector.sql import quote_name, quote_text
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.json_text import variant_text
from table_common.types import (
    EXACT_INTEGERS,
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    RawType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    YearMonthIntervalType,
    types_in,
)

INTEGERS = {"int2": 2, "int4": 4, "int8": 8}
_PLAIN_TEXTS = ("text", "varchar", "bpchar")
_AS_TEXT = ("name", "char", "citext", "uuid", "json", "jsonb", "xml", "inet", "cidr", "macaddr", "macaddr8", "interval")
"""Types that are read as their text, and written from it."""
_JSON = ("json", "jsonb")
_STAGED: tuple[tuple[type | tuple[type, ...], str, pa.DataType], ...] = (
    ((TinyIntType, SmallIntType), "int2", pa.int16()),
    (IntType, "int4", pa.int32()),
    (BigIntType, "int8", pa.int64()),
    (FloatType, "float4", pa.float32()),
    (DoubleType, "float8", pa.float64()),
    (BooleanType, "bool", pa.bool_()),
    ((CharType, VarCharType, VariantType, DayTimeIntervalType, YearMonthIntervalType), "text", pa.string()),
    ((BinaryType, VarBinaryType), "bytea", pa.binary()),
    (DateType, "date", pa.date32()),
    (TimeType, "time", pa.time64("us")),
    (TimestampType, "timestamp", pa.timestamp("us")),
    (LocalZonedTimestampType, "timestamptz", pa.timestamp("us", tz="UTC")),
)
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""0001-01-01 and 9999-12-31, in days since 1970."""
_DAY = 86_400_000_000
"""The microseconds of a day."""


def declared_type(column: PostgresColumn) -> LogicalType | None:
    """Returns the SQL type of a column, or None if there is none: the table's definition must then leave the column out."""
    element = _element_type(column)
    if element is None or not column.is_array:
        return element.with_nullability(not column.not_null) if element is not None else None
    return ArrayType(element, nullable=not column.not_null)


_UNREADABLE = "postgresql"
"""Stands for the serializer of the RAW type of columns that cannot be read."""


def unreadable_type(column: PostgresColumn) -> RawType:
    """Returns the type in which a catalog shows a column that has no SQL type: the others of its table can be read."""
    return RawType(column.shown, _UNREADABLE, nullable=not column.not_null)


def is_unreadable(type_: LogicalType) -> bool:
    """Returns whether a type is that of a column that cannot be read."""
    return isinstance(type_, RawType) and type_.serializer == _UNREADABLE


def require_no_objects(row_type: RowType, table: str) -> None:
    """Raises a ``ValidationException`` if a field has a RAW type that is not that of a column that cannot be read."""
    for field in row_type.fields:
        if not is_unreadable(field.type) and any(isinstance(part, RawType) for part in types_in(field.type)):
            raise ValidationException(
                f"Column '{field.name}' of PostgreSQL's table '{table}' is {field.type}: no Python objects are made of the bytes of a database.",
                hint="declare the column as BYTES, and decode it in a function",
            )


def require_readable(row_type: RowType, table: str) -> None:
    """Raises a ``ValidationException`` if a field of a table of PostgreSQL has no SQL type."""
    for field in row_type.fields:
        if is_unreadable(field.type):
            assert isinstance(field.type, RawType)
            raise ValidationException(
                f"Column '{field.name}' of PostgreSQL's table '{table}' is {field.type.class_name}, which has no counterpart.",
                hint=f"select the other columns, or create a view in PostgreSQL with CAST({quote_name(field.name)} AS text)",
            )


def _element_type(column: PostgresColumn) -> LogicalType | None:
    plain: dict[str, LogicalType] = {
        "int2": SmallIntType(),
        "int4": IntType(),
        "int8": BigIntType(),
        "float4": FloatType(),
        "float8": DoubleType(),
        "bool": BooleanType(),
        "text": VarCharType(),
        "bytea": VarBinaryType(),
        "date": DateType(),
    }
    name = column.type_name
    precision = column.modifier if column.modifier >= 0 else 6
    match name:
        case "numeric":
            precision, scale = column.digits or (38, 18)
            return DecimalType(precision, scale) if 0 <= scale <= precision <= 38 else DecimalType(38, 18)
        case "varchar" if column.length is not None:
            return VarCharType(column.length)
        case "bpchar" if column.length is not None:
            return CharType(column.length)
        case "time":
            return TimeType(precision)
        case "timestamp":
            return TimestampType(precision)
        case "timestamptz":
            return LocalZonedTimestampType(precision)
    if name in plain:
        return plain[name]
    return VarCharType() if name in (*_PLAIN_TEXTS, *_AS_TEXT) or column.kind == "e" else None


def suggested_column(column: PostgresColumn) -> str:
    """Returns the type to declare for a column, for messages."""
    type_ = declared_type(column)
    return str(type_) if type_ is not None else f"none: read a view with CAST({quote_name(column.name)} AS text), declared as STRING"


def select_sql(column: PostgresColumn, type_: LogicalType) -> str | None:
    """Returns the SQL that selects a column as a declared type, or None if its values are of another type."""
    name = quote_name(column.name)
    if isinstance(type_, ArrayType) != column.is_array:
        return None
    if not isinstance(type_, ArrayType):
        target = _read_as(column, type_)
        return None if target is None else f"{name}::{target}" if target else name
    target = _read_as(column, type_.element_type)
    if target is None:
        return None
    if isinstance(type_.element_type, DecimalType):
        cast = f"{name}::{target}[]::text[]"
    else:
        cast = f"{name}::{target}[]" if target else name
    # An array of several dimensions would be flattened. This text is no array, so PostgreSQL shows it in its error.
    text = f"({quote_text(f'column {column.name} holds an array with this number of dimensions: ')} || array_ndims({name}))"
    result = "text" if isinstance(type_.element_type, DecimalType) else target or column.type_name
    return f"CASE WHEN array_ndims({name}) > 1 THEN {text}::{result}[] ELSE {cast} END"


def _read_as(column: PostgresColumn, type_: LogicalType) -> str | None:
    """Returns the type to which values are cast before they are read: empty for none, None if they are of another type."""
    name = column.type_name
    if isinstance(type_, EXACT_INTEGERS):
        target = staging_type(type_)
        return None if name not in INTEGERS else "" if name == target else target
    if isinstance(type_, DecimalType):
        return f"numeric({type_.precision},{type_.scale})" if name == "numeric" or name in INTEGERS else None
    if isinstance(type_, DoubleType):
        return "" if name == "float8" else "float8" if name in ("float4", "numeric", *INTEGERS) else None
    if isinstance(type_, (CharType, VarCharType)):
        if name in _PLAIN_TEXTS:
            return ""
        return "text" if name in _AS_TEXT or column.kind == "e" else None
    if isinstance(type_, VariantType):
        return "text" if name in _JSON else None
    expected = {
        DayTimeIntervalType: "interval",
        YearMonthIntervalType: "interval",
        FloatType: "float4",
        BooleanType: "bool",
        BinaryType: "bytea",
        VarBinaryType: "bytea",
        DateType: "date",
        TimeType: "time",
        TimestampType: "timestamp",
        LocalZonedTimestampType: "timestamptz",
    }.get(type(type_))
    return "" if expected is not None and name == expected else None


def staging_type(type_: LogicalType) -> str:
    """Returns the type of PostgreSQL in which values of a type are sent."""
    if isinstance(type_, ArrayType):
        return f"{staging_type(type_.element_type)}[]"
    if isinstance(type_, DecimalType):
        return "numeric"
    return next(name for types, name, _ in _STAGED if isinstance(type_, types))


def column_type(type_: LogicalType) -> str:
    """Returns the type of PostgreSQL for a new column."""
    if isinstance(type_, ArrayType):
        return f"{column_type(type_.element_type)}[]"
    return "jsonb" if isinstance(type_, VariantType) else staging_type(type_)


def assigned_sql(column: PostgresColumn, source: str) -> str:
    """Returns the SQL that assigns a staged value to a column; casts that lose text, such as to VARCHAR(n), stay implicit, and so fail."""
    needs_cast = column.type_name in _AS_TEXT or column.kind == "e"
    return f"{source}::{column.shown}" if needs_cast else source


# --- values -----------------------------------------------------------------------------------------------------------------


def from_postgres(columns: Sequence[pa.Array], row_type: RowType, where: str, rows: int) -> pa.RecordBatch:
    """Converts columns that the driver returned to the canonical Arrow schema.

    Raises:
        TableRuntimeException: a value is outside the range of its type; the message names the column.
    """
    converted = []
    for column, field in zip(columns, row_type.fields, strict=True):
        try:
            converted.append(conform_array(_read(column, field.type), field.type, f"Column '{field.name}' of {where}"))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise TableRuntimeException(
                f"Column '{field.name}' of {where} has a value that {field.type.summary()} cannot hold: {error}",
                hint="infinite and NaN values, times outside the years 1 to 9999, and the time 24:00 have no counterpart: a view can replace them by NULL",
            ) from error
    if not converted:
        return pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))
    return pa.RecordBatch.from_arrays(converted, schema=to_arrow_schema(row_type))


def _read(column: pa.Array, type_: LogicalType) -> pa.Array:
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    target = to_arrow_type(type_)
    if isinstance(type_, (DayTimeIntervalType, YearMonthIntervalType)):
        return _read_interval(column, target)
    if isinstance(type_, VariantType):
        return _canonical(column)
    if isinstance(type_, ArrayType):
        if isinstance(type_.element_type, VariantType):
            return pa.array([None if texts is None else _canonical(pa.array(texts, pa.string())) for texts in column.to_pylist()], target)
        _require_counterparts(column.flatten(), type_.element_type)
    else:
        _require_counterparts(column, type_)
    if isinstance(type_, (DecimalType, TinyIntType)) or (isinstance(type_, ArrayType) and column.type != target):
        return pc.cast(column, target)
    return column


def _canonical(column: pa.Array) -> pa.Array:
    """Returns JSON texts as VARIANTs; of equal keys of an object the last counts, as in PostgreSQL's jsonb."""
    encoded = pc.dictionary_encode(column)
    try:
        texts = [variant_text(text, allow_duplicates=True) for text in encoded.dictionary.to_pylist()]
    except ValueError as error:
        raise pa.ArrowInvalid(str(error)) from error
    return pc.take(pa.array(texts, pa.string()), encoded.indices)


def _read_interval(column: pa.Array, target: pa.DataType) -> pa.Array:
    """Converts PostgreSQL's intervals of months, days and nanoseconds to months, or to a duration; the other parts must be zero."""
    values, count, start = column.buffers()[1], len(column), column.offset
    integers = pa.Array.from_buffers(pa.int32(), 4 * count, [None, values], offset=4 * start)
    longs = pa.Array.from_buffers(pa.int64(), 2 * count, [None, values], offset=2 * start)
    parts = [integers.take(pa.array(range(part, 4 * count, 4), pa.int64())) for part in (0, 1)]
    parts.append(longs.take(pa.array(range(1, 2 * count, 2), pa.int64())))
    nothing = [pa.scalar(None, part.type) for part in parts]
    months, days, nanoseconds = (pc.if_else(column.is_valid(), part, null) for part, null in zip(parts, nothing, strict=True))
    is_months = pa.types.is_int32(target)
    others = (days, nanoseconds) if is_months else (months,)
    if any(pc.any(pc.not_equal(other, pa.scalar(0, other.type))).as_py() for other in others):
        raise pa.ArrowInvalid(f"an interval with {'days or seconds' if is_months else 'years or months'}")
    if is_months:
        return months
    per_day = pa.scalar(86_400_000_000, pa.int64())
    microseconds = pc.add_checked(
        pc.multiply_checked(pc.cast(days, pa.int64()), per_day), pc.divide(nanoseconds, pa.scalar(1000, pa.int64()))
    )
    return pc.cast(pc.cast(microseconds, pa.duration("us")), target, safe=False)


def _require_counterparts(column: pa.Array, type_: LogicalType) -> None:
    """Raises an ``ArrowInvalid`` for infinite dates, years outside 1 to 9999, and the time 24:00."""
    if isinstance(type_, TimeType):
        first, end, problem = 0, _DAY, "the time 24:00"
    elif isinstance(type_, (DateType, TimestampType, LocalZonedTimestampType)):
        per_day = 1 if isinstance(type_, DateType) else _DAY
        first, end, problem = _FIRST_DAY * per_day, (_LAST_DAY + 1) * per_day, "infinity, or a year outside 1 to 9999"
    else:
        return
    ends = pc.min_max(column.view(pa.int32() if isinstance(type_, DateType) else pa.int64()))
    least, greatest = ends["min"].as_py(), ends["max"].as_py()
    if least is not None and (least < first or greatest >= end):
        raise pa.ArrowInvalid(problem)


def to_staging(batch: pa.RecordBatch, row_type: RowType, where: str) -> list[pa.Array]:
    """Converts rows to the types of a staging table.

    Raises:
        TableRuntimeException: PostgreSQL would return another value than the one written; the message names the column and the row.
    """
    return [
        _write(column, field.type, f"Column '{field.name}' of {where}")
        for column, field in zip(batch.columns, row_type.fields, strict=True)
    ]


def _write(column: pa.Array, type_: LogicalType, where: str) -> pa.Array:
    if isinstance(type_, DecimalType) or (isinstance(type_, ArrayType) and isinstance(type_.element_type, DecimalType)):
        return column
    if isinstance(type_, (DayTimeIntervalType, YearMonthIntervalType)):
        unit = "months" if isinstance(type_, YearMonthIntervalType) else "microseconds"
        whole = column if unit == "months" else pc.cast(column, pa.duration("us"))
        text = pc.cast(pc.cast(whole, pa.int64()), pa.string())
        return pc.binary_join_element_wise(text, pa.scalar(unit), pa.scalar(" "))
    if isinstance(type_, (CharType, VarCharType)):
        position = pc.index(pc.match_substring(column, "\0"), True).as_py()
        if position >= 0:
            raise TableRuntimeException(
                f"{where} has a text with the character NUL in row {position + 1} of a batch, which PostgreSQL cannot store.",
                hint="REPLACE removes it",
            )
    target = _staged_arrow(type_)
    if column.type == target:
        return column
    try:
        return pc.cast(column, target)
    except pa.ArrowInvalid as error:
        raise TableRuntimeException(
            f"{where} has a value that PostgreSQL cannot store: {error}",
            hint="PostgreSQL's times have microseconds: CAST(… AS TIMESTAMP(6))",
        ) from error


def _staged_arrow(type_: LogicalType) -> pa.DataType:
    if isinstance(type_, ArrayType):
        return pa.list_(_staged_arrow(type_.element_type))
    return next(arrow for types, _, arrow in _STAGED if isinstance(type_, types))


def require_storable(type_: LogicalType, where: str) -> None:
    """Raises a ``ValidationException`` if there is no type of PostgreSQL for values of the type."""
    element = type_.element_type if isinstance(type_, ArrayType) else type_
    if not isinstance(element, DecimalType) and not any(isinstance(element, types) for types, _, _ in _STAGED):
        raise ValidationException(
            f"{where} is {type_}, which PostgreSQL has no type for.",
            hint="declare it as STRING, or as VARIANT if the column is json or jsonb: CAST(… AS STRING), JSON_STRING(…) or PARSE_JSON(JSON_STRING(…)) writes it",
        )
