"""Values of the log, which are texts of PostgreSQL, as the columns that the driver returns for a scan."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from connector_jdbc import PostgresColumn, from_postgres
from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exact_decimals import parsed, rounded
from table_common.exceptions import TableRuntimeException
from table_common.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    LocalZonedTimestampType,
    LogicalType,
    RowField,
    RowType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    YearMonthIntervalType,
)

_MICROSECONDS = pa.timestamp("us")
NO_COUNTERPART = "infinite and NaN values, times outside the years 1 to 9999, and the time 24:00 have no counterpart: UPDATE the rows, or leave the column out of the definition"
"""The hint for a value that the type of its column cannot hold."""
_INTERVAL = re.compile(
    r"(?:(-?\d+) years? ?)?(?:([+-]?\d+) mons? ?)?(?:([+-]?\d+) days? ?)?(?:([+-]?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?"
)


def column_of(texts: pa.Array, column: PostgresColumn, field: RowField, where: str) -> pa.Array:
    """Returns the values of a column of the canonical Arrow type.

    Raises:
        TableRuntimeException: a value is outside the range of its type; the message names the column.
    """
    row_type = RowType((field,), nullable=False)
    try:
        values = _values(texts, field.type, column.type_name)
    except (pa.ArrowInvalid, ValueError, ArithmeticError) as error:
        raise TableRuntimeException(
            f"Column '{field.name}' of {where} has a value that {field.type.summary()} cannot hold: {error}",
            hint=f"it is {column.shown} in PostgreSQL; {NO_COUNTERPART}",
        ) from error
    return from_postgres([values], row_type, where, len(values)).column(0)


def _values(texts: pa.Array, type_: LogicalType, type_name: str) -> pa.Array:
    """Returns the values of texts of a type of PostgreSQL, which of an array is the type of its elements."""
    if isinstance(type_, ArrayType):
        return _arrays(texts, type_, type_name)
    if type_name == "inet":
        return _addresses(texts)
    if isinstance(type_, DoubleType) and type_name == "float4":  # a cast to float8 shows which number of float4 is next to the text
        return pc.cast(pc.cast(texts, pa.float32()), pa.float64())
    if isinstance(type_, BooleanType):
        return pc.equal(texts, pa.scalar("t"))
    if isinstance(type_, (BinaryType, VarBinaryType)):
        return pa.array([None if text is None else bytes.fromhex(text[2:]) for text in texts.to_pylist()], pa.binary())
    if isinstance(type_, DecimalType):
        return _decimals(texts, type_)
    if isinstance(type_, DateType):
        return pc.cast(texts, pa.date32())
    if isinstance(type_, TimeType):
        return _times(texts)
    if isinstance(type_, TimestampType):
        return pc.cast(texts, _MICROSECONDS)
    if isinstance(type_, LocalZonedTimestampType):
        return pc.cast(texts, pa.timestamp("us", tz="UTC"))
    if isinstance(type_, (DayTimeIntervalType, YearMonthIntervalType)):
        return pa.array([None if text is None else _interval(text) for text in texts.to_pylist()], pa.month_day_nano_interval())
    if isinstance(type_, TinyIntType):
        return pc.cast(texts, pa.int16())
    target = to_arrow_type(type_)
    return pc.cast(texts, target) if pa.types.is_primitive(target) else texts


def _addresses(texts: pa.Array) -> pa.Array:
    """Returns addresses as a cast to text writes them: always with the length of their network."""
    whole = pc.if_else(pc.match_substring(texts, ":"), pa.scalar("/128"), pa.scalar("/32"))
    return pc.if_else(pc.match_substring(texts, "/"), texts, pc.binary_join_element_wise(texts, whole, pa.scalar("")))


def _times(texts: pa.Array) -> pa.Array:
    if pc.any(pc.match_substring(texts, "24:00")).as_py() and pc.any(pc.starts_with(texts, "24:")).as_py():
        raise pa.ArrowInvalid("the time 24:00")
    moments = pc.cast(pc.binary_join_element_wise(pa.scalar("1970-01-01"), texts, pa.scalar(" ")), _MICROSECONDS)
    return pc.cast(pc.cast(moments, pa.int64()), pa.time64("us"))


def _decimals(texts: pa.Array, type_: DecimalType) -> pa.Array:
    """Returns decimals, rounded to the scale of the type as PostgreSQL's ``numeric(p,s)`` rounds."""
    target = pa.decimal128(type_.precision, type_.scale)
    try:
        return pc.cast(texts, target)
    except pa.ArrowInvalid:
        pass
    values = [None if text is None else rounded(parsed(text), type_.scale) for text in texts.to_pylist()]
    return pa.array(values, target)


def _interval(text: str) -> pa.MonthDayNano:
    found = _INTERVAL.fullmatch(text)
    if found is None:
        raise ValueError(f"the interval '{text}'")
    years, months, days, sign, hours, minutes, seconds, fraction = found.groups()
    microseconds = (int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)) * 1_000_000 + int((fraction or "").ljust(6, "0"))
    return pa.MonthDayNano([int(years or 0) * 12 + int(months or 0), int(days or 0), (-1 if sign == "-" else 1) * microseconds * 1000])


def _arrays(texts: pa.Array, type_: ArrayType, type_name: str) -> pa.Array:
    lists = [None if text is None else array_elements(text) for text in texts.to_pylist()]
    offsets = [0]
    elements: list[str | None] = []
    for values in lists:
        elements += values or ()
        offsets.append(len(elements))
    flat = _values(pa.array(elements, pa.string()), type_.element_type, type_name)
    is_null = pa.array([values is None for values in lists], pa.bool_())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), flat, mask=is_null if is_null.true_count else None)


def array_elements(text: str) -> Sequence[str | None]:
    """Returns the elements of an array of one dimension: ``{1,NULL,"a b"}``.

    Raises:
        ValueError: it has several dimensions.
    """
    body = text.partition("=")[2] if text.startswith("[") else text  # the first index may be another than 1
    if body.startswith("{{"):
        raise ValueError("an array of several dimensions")
    found: list[str | None] = []
    for quoted, plain in re.findall(r'(?:"((?:[^"\\]|\\.)*)"|([^,{}"]+))(?:,|\}$)', body[1:]):
        if plain:
            found.append(None if plain.upper() == "NULL" else re.sub(r"\\(.)", r"\1", plain))
        else:
            found.append(re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL))
    return found
