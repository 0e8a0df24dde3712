"""Text to values and back for csv and json: the forms that Flink's formats read and write."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exact_decimals import parsed, rounded
from table_common.types import (
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)

__all__ = ["SQL", "parse_column", "parser_of", "to_text"]

SQL = "SQL"
"""The standard for timestamps: ``2020-01-31 12:34:56.789``; ``ISO-8601`` has a T in the middle."""

_TIME = re.compile(r"(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?Z?")
_TIMESTAMP = re.compile(r"(\d{4}-\d{2}-\d{2})[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z?)")
_EPOCH = date(1970, 1, 1).toordinal()
_RANGES = {pa.int8(): 2**7, pa.int16(): 2**15, pa.int32(): 2**31, pa.int64(): 2**63}


def parser_of(type_: LogicalType) -> Callable[[str], Any]:
    """Returns a function from text to what ``pa.array`` takes for the type; it raises ``ValueError`` if the text is no value of it.

    Raises:
        KeyError: values of the type have no text form in files.
    """
    arrow_type = to_arrow_type(type_)
    match type_:
        case CharacterType():
            return str
        case BooleanType():
            return _parse_boolean
        case FloatType() | DoubleType():
            return _parse_float
        case DecimalType():
            return lambda text: parse_decimal(text, type_)
        case DateType():
            return lambda text: date.fromisoformat(text.strip()).toordinal() - _EPOCH
        case TimeType():
            return lambda text: _parse_time(text.strip(), arrow_type.unit)
        case TimestampType():
            return lambda text: _parse_timestamp(text.strip(), arrow_type.unit, type_.precision, zoned=False)
        case LocalZonedTimestampType():
            return lambda text: _parse_timestamp(text.strip(), arrow_type.unit, type_.precision, zoned=True)
        case BinaryStringType():
            return _parse_base64
        case YearMonthIntervalType():
            return lambda text: _parse_integer(text, 2**31)
        case _ if pa.types.is_integer(arrow_type):
            bound = _RANGES[arrow_type]
            return lambda text: _parse_integer(text, bound)
        case _:
            raise KeyError(type_.summary())


def _parse_boolean(text: str) -> bool:
    lowered = text.strip().lower()
    if lowered not in ("true", "false"):
        raise ValueError("it is neither true nor false")
    return lowered == "true"


def _parse_integer(text: str, bound: int) -> int:
    number = int(text.strip())
    if "_" in text or not -bound <= number < bound:
        raise ValueError("it is out of range")
    return number


def _parse_float(text: str) -> float:
    if "_" in text:
        raise ValueError("it is no number")
    return float(text.strip())


def parse_decimal(text: str, type_: DecimalType) -> Decimal:
    """Reads a decimal, rounded half up to the scale."""
    number = rounded(parsed(text.strip()), type_.scale)
    if len(number.as_tuple().digits) > type_.precision and number != 0:
        raise ValueError("it has too many digits")
    return number


def _parse_time(text: str, unit: str) -> int:
    match = _TIME.fullmatch(text)
    if match is None or int(match[1]) > 23 or int(match[2]) > 59 or int(match[3] or 0) > 59:
        raise ValueError("it is no time")
    seconds = int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3] or 0)
    return _with_fraction(seconds, match[4], unit, 9)


def _parse_timestamp(text: str, unit: str, precision: int, *, zoned: bool) -> int:
    match = _TIMESTAMP.fullmatch(text)
    if match is None or (zoned and not match[6]) or int(match[2]) > 23 or int(match[3]) > 59 or int(match[4] or 0) > 59:
        raise ValueError("it is no timestamp" + (" with Z for UTC" if zoned else ""))
    days = date.fromisoformat(match[1]).toordinal() - _EPOCH
    seconds = days * 86_400 + int(match[2]) * 3600 + int(match[3]) * 60 + int(match[4] or 0)
    return _with_fraction(seconds, match[5], unit, precision)


def _with_fraction(seconds: int, fraction: str | None, unit: str, precision: int) -> int:
    digits = (fraction or "")[:precision].ljust(9, "0")
    nanos = seconds * 1_000_000_000 + int(digits)
    return nanos // 1000 if unit == "us" else nanos


def _parse_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("it is no Base64") from error


def parse_column(texts: pa.Array, type_: LogicalType, *, ignore_errors: bool = False) -> tuple[pa.Array, tuple[int, str, str] | None]:
    """Returns the values, and where the first text is that is none: (position, text, why). With ``ignore_errors`` such texts give NULL."""
    arrow_type = to_arrow_type(type_)
    if isinstance(type_, CharacterType):
        return texts, None
    fast = _cast(texts, type_, arrow_type)
    if fast is not None:
        return fast, None
    parse = parser_of(type_)
    encoded = pc.dictionary_encode(texts)
    values: list[Any] = []
    failures: dict[int, tuple[str, str]] = {}
    for index, text in enumerate(encoded.dictionary.to_pylist()):
        try:
            values.append(parse(text))
        except ValueError as error:
            values.append(None)
            failures[index] = (text, str(error))
    result = pc.take(pa.array(values, type=arrow_type), encoded.indices)
    if failures and not ignore_errors:
        bad = pc.is_in(encoded.indices, value_set=pa.array(list(failures), type=encoded.indices.type))
        position = pc.index(bad, pa.scalar(True)).as_py()
        return result, (position, *failures[encoded.indices[position].as_py()])
    return result, None


def _cast(texts: pa.Array, type_: LogicalType, arrow_type: pa.DataType) -> pa.Array | None:
    """Returns what Arrow makes of the texts where it reads as we do, or None."""
    if pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) or isinstance(type_, DateType):
        try:
            return pc.cast(pc.utf8_trim_whitespace(texts), arrow_type)
        except pa.ArrowInvalid:
            return None
    if isinstance(type_, TimestampType) and type_.precision in (3, 6, 9):
        unit = {3: "ms", 6: "us", 9: "ns"}[type_.precision]
        try:
            # A unit as fine as the precision: more digits fail here and are cut one by one.
            return pc.cast(pc.cast(texts, pa.timestamp(unit)), arrow_type)
        except pa.ArrowInvalid:
            return None
    return None


def to_text(array: pa.Array, type_: LogicalType, *, standard: str = SQL) -> pa.Array:
    """Returns the values as files hold them; NULL stays NULL."""
    middle = " " if standard == SQL else "T"
    match type_:
        case CharacterType():
            return array
        case BooleanType():
            return pc.if_else(array, pa.scalar("true"), pa.scalar("false"))
        case TimestampType() | LocalZonedTimestampType():
            zone = "Z" if isinstance(type_, LocalZonedTimestampType) else ""
            return _each(array, lambda ticks: _timestamp_text(ticks, array.type.unit, middle) + zone, pa.int64())
        case TimeType():
            return _each(array, lambda ticks: _time_of_day(ticks, array.type.unit), pa.int64())
        case BinaryStringType():
            return _each(array, lambda value: base64.b64encode(value).decode(), None)
        case DecimalType():
            return _each(array, lambda value: format(value, "f"), None)
        case FloatType() | DoubleType():
            return _each(pc.cast(array, pa.float64()) if isinstance(type_, DoubleType) else array, _float_text(type_), None)
        case _:
            return pc.cast(array, pa.string())


def _each(array: pa.Array, write: Callable[[Any], str], view: pa.DataType | None) -> pa.Array:
    values = (array.view(view) if view is not None else array).to_pylist()
    return pa.array([None if value is None else write(value) for value in values], type=pa.string())


def _per_second(unit: str) -> int:
    return 1_000_000 if unit == "us" else 1_000_000_000


def _timestamp_text(ticks: int, unit: str, middle: str) -> str:
    seconds, fraction = divmod(ticks, _per_second(unit))
    days, seconds = divmod(seconds, 86_400)
    return f"{date.fromordinal(days + _EPOCH).isoformat()}{middle}{_time_text(seconds, fraction, unit)}"


def _time_of_day(ticks: int, unit: str) -> str:
    seconds, fraction = divmod(ticks, _per_second(unit))
    return _time_text(seconds, fraction, unit)


def _time_text(seconds: int, fraction: int, unit: str) -> str:
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if not fraction:
        return text
    return f"{text}.{str(fraction).zfill(6 if unit == 'us' else 9).rstrip('0')}"


def _float_text(type_: LogicalType) -> Callable[[float], str]:
    if isinstance(type_, DoubleType):
        return repr
    # The shortest text that reads back as the same 32-bit number.
    return lambda value: pc.cast(pa.array([value], pa.float32()), pa.string())[0].as_py()
