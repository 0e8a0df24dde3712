"""Converts text to values and back for csv and json, in the text forms of Flink's formats."""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from math import isfinite, isnan
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
from table_runtime.casts.from_text import parse_double
from table_runtime.formats.text.forms import BLANKS, EPOCH, PARTITIONS, TextForms

SQL = "SQL"
"""The timestamp format ``2020-01-31 12:34:56.789``; ``ISO-8601`` has a T instead of the space."""

_SMALLEST_NORMAL_FLOAT = 2.0**-126
_BLANK = re.compile(r"[\x00-\x20]+")
_INTEGER = re.compile(r"[+-]?\d+").fullmatch
_RANGES = {pa.int8(): 2**7, pa.int16(): 2**15, pa.int32(): 2**31, pa.int64(): 2**63}


def parser_of(type_: LogicalType, forms: TextForms = PARTITIONS) -> Callable[[str], Any]:
    """Returns a function that parses text to a value for ``pa.array``; it raises ``ValueError`` if the text is not a value of the type.

    ``forms`` are the text forms of dates and times.

    Raises:
        KeyError: values of the type have no text form in files.
    """
    arrow_type = to_arrow_type(type_)
    match type_:
        case CharacterType():
            return str
        case BooleanType():
            return _parse_boolean
        case FloatType():
            return _parse_float
        case DoubleType():
            return _parse_double
        case DecimalType():
            return lambda text: parse_decimal(text, type_)
        case DateType():
            return forms.days
        case TimeType():
            return lambda text: _ticks(forms.time_of_day(text, type_.precision), arrow_type.unit)
        case TimestampType():
            return lambda text: _ticks(forms.nanos(text, type_.precision, zoned=False), arrow_type.unit)
        case LocalZonedTimestampType():
            return lambda text: _ticks(forms.nanos(text, type_.precision, zoned=True), arrow_type.unit)
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
    lowered = text.strip(BLANKS).lower()
    if lowered not in ("true", "false"):
        raise ValueError("it is neither true nor false")
    return lowered == "true"


def _parse_integer(text: str, bound: int) -> int:
    digits = text.strip(BLANKS)
    if _INTEGER(digits) is None:
        raise ValueError("it is not an integer")
    number = int(digits)
    if not -bound <= number < bound:
        raise ValueError("it is out of range")
    return number


def _parse_double(text: str) -> float:
    value = parse_double(text.strip(BLANKS))
    if value is None:
        raise ValueError("it is not a number")
    return value


def _parse_float(text: str) -> float:
    value = _parse_double(text)
    half_way = struct.unpack("<q", struct.pack("<d", value))[0] & 0x1FFF_FFFF == 0x1000_0000
    if (half_way or abs(value) < _SMALLEST_NORMAL_FLOAT) and "x" not in text.lower():
        # A number half-way between two 32-bit numbers may already be rounded, so it is parsed from its digits.
        return float(pc.cast(pa.array([text.strip(BLANKS).removeprefix("+").rstrip("fFdD")]), pa.float32())[0].as_py())
    return value


def parse_decimal(text: str, type_: DecimalType) -> Decimal:
    """Parses a decimal, rounded half up to the scale."""
    # Differs from Flink: blanks around a DECIMAL of CSV or JSON are ignored, as around other numbers; Flink refuses them.
    if "_" in text:
        raise ValueError("it is not a decimal")
    number = rounded(parsed(text.strip(BLANKS)), type_.scale)
    if len(number.as_tuple().digits) > type_.precision and number != 0:
        raise ValueError("it has too many digits")
    return number


def _ticks(nanos: int, unit: str) -> int:
    if unit == "us":
        return nanos // 1000
    if not -(2**63) <= nanos < 2**63:
        raise ValueError("it is outside of 1677 to 2262, the range of timestamps with more than six digits of the second")
    return nanos


def _parse_base64(text: str) -> bytes:
    groups = _BLANK.split(text.strip(BLANKS))
    if any(len(group) % 4 for group in groups):
        raise ValueError("it is not Base64")
    try:
        # MIME has line breaks between groups of four.
        return base64.b64decode("".join(groups), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("it is not Base64") from error


def wide_decimal(type_: DecimalType) -> pa.DataType:
    """Returns the type for parsing decimals with Arrow, before the cast to their own type.

    Arrow does not detect all overflows when it parses 128-bit decimals.
    """
    return pa.decimal256(76, type_.scale)


def to_text(array: pa.Array, type_: LogicalType, *, standard: str = SQL) -> pa.Array:
    """Returns the text of the values in files; NULL stays NULL."""
    middle = " " if standard == SQL else "T"
    match type_:
        case CharacterType():
            return array
        case BooleanType():
            return pc.if_else(array, pa.scalar("true"), pa.scalar("false"))
        case TimestampType() | LocalZonedTimestampType():
            zone = "Z" if isinstance(type_, LocalZonedTimestampType) else ""
            texts = _timestamp_texts(array, middle, zone)
            return (
                texts
                if texts is not None
                else _each(array, lambda ticks: _timestamp_text(ticks, array.type.unit, middle) + zone, pa.int64())
            )
        case TimeType():
            return _without_trailing_zeros(pc.cast(array, pa.string()))
        case BinaryStringType():
            return _base64_texts(array)
        case DecimalType():
            texts = pc.cast(array, pa.string())
            return _replaced(texts, pc.match_substring(texts, "E"), lambda text: format(Decimal(text), "f"))
        case FloatType():
            texts = pc.cast(array, pa.string())
            return _replaced(texts, pc.invert(pc.is_finite(array)), _float_text)
        case DoubleType():
            return float_texts(array)
        case _:
            return pc.cast(array, pa.string())


def _each(array: pa.Array, write: Callable[[Any], str], view: pa.DataType | None) -> pa.Array:
    values = (array.view(view) if view is not None else array).to_pylist()
    return pa.array([None if value is None else write(value) for value in values], type=pa.string())


def _per_second(unit: str) -> int:
    return 1_000_000 if unit == "us" else 1_000_000_000


def _without_trailing_zeros(texts: pa.Array) -> pa.Array:
    """Removes the zeros at the end of fractions of the second, of which kernels write all digits."""
    return pc.utf8_rtrim(pc.utf8_rtrim(texts, "0"), ".")


def _replaced(texts: pa.Array, mask: pa.Array, write: Callable[[str], str]) -> pa.Array:
    """Replaces the texts where the mask is true."""
    if pc.any(mask).as_py() is not True:
        return texts
    mask = pc.fill_null(mask, False)
    return pc.replace_with_mask(texts, mask, pa.array([write(text) for text in texts.filter(mask).to_pylist()], pa.string()))


def float_texts(array: pa.Array) -> pa.Array:
    """Returns the shortest texts that read back as the same numbers, in the form of Python."""
    # Differs from Flink: a number of CSV or JSON has an exponent where Python writes one, 1e+20 for 1.0E20; it is the same number.
    texts = pc.cast(array, pa.string())
    whole = pc.invert(pc.match_substring_regex(texts, "[.einf]"))
    texts = pc.binary_join_element_wise(texts, pc.if_else(whole, pa.scalar(".0"), pa.scalar("")), pa.scalar(""))
    # Python writes other numbers with an exponent than Arrow does.
    return _replaced(texts, pc.match_substring_regex(texts, r"[enf]|^-?0\.0000"), _float_text)


def _float_text(text: str) -> str:
    value = float(text)
    return repr(value) if isfinite(value) else "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _base64_texts(array: pa.Array) -> pa.Array:
    """Encodes all values at once: each is filled up with zero bytes, whose characters are then replaced by padding."""
    if not pa.types.is_binary(array.type):
        array = pc.cast(array, pa.binary())
    values = pc.fill_null(array, b"") if array.null_count else array
    lengths = pc.cast(pc.binary_length(values), pa.int64())
    rest = pc.subtract(lengths, pc.multiply(pc.divide(lengths, 3), 3))
    missing = pc.if_else(pc.equal(rest, 0), pa.scalar(0), pc.subtract(3, rest))
    filled = pc.binary_join_element_wise(values, _zeros(missing), pa.scalar(b""))
    data = base64.b64encode(
        pc.binary_join(pa.LargeListArray.from_arrays(pa.array([0, len(filled)], pa.int64()), filled), b"")[0].as_buffer()
    )
    ends = pc.cumulative_sum(pc.multiply(pc.divide(pc.add(lengths, 2), 3), 4))
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    validity = pc.is_valid(array).buffers()[1] if array.null_count else None
    texts = pc.cast(pa.Array.from_buffers(pa.large_string(), len(array), [validity, offsets.buffers()[1], pa.py_buffer(data)]), pa.string())
    for count in (1, 2):
        padded = pc.equal(missing, count)
        if pc.any(padded).as_py():
            cut = pc.binary_join_element_wise(
                pc.cast(pc.binary_slice(pc.cast(texts, pa.binary()), 0, -count), pa.string()), "=" * count, ""
            )
            texts = pc.if_else(padded, cut, texts)
    return texts


def _zeros(counts: pa.Array) -> pa.Array:
    """Returns zero bytes, up to two of them each."""
    return pc.take(pa.array([b"", b"\0", b"\0\0"]), counts)


def _timestamp_texts(array: pa.Array, middle: str, zone: str) -> pa.Array | None:
    """Returns the texts of timestamps, by kernels; None if a year does not have four digits."""
    ticks = array.view(pa.int64())
    bounds = pc.min_max(ticks)
    per_day = _per_second(array.type.unit) * 86_400
    first, end = (1 - EPOCH) * per_day, (date.max.toordinal() - EPOCH + 1) * per_day
    if bounds["min"].is_valid and not first <= bounds["min"].as_py() <= bounds["max"].as_py() < end:
        return None
    texts = _without_trailing_zeros(pc.cast(ticks.view(pa.timestamp(array.type.unit)), pa.string()))
    if middle != " ":
        texts = pc.replace_substring(texts, " ", middle)
    return pc.binary_join_element_wise(texts, zone, "") if zone else texts


def _timestamp_text(ticks: int, unit: str, middle: str) -> str:
    seconds, fraction = divmod(ticks, _per_second(unit))
    days, seconds = divmod(seconds, 86_400)
    return f"{date.fromordinal(days + EPOCH).isoformat()}{middle}{_time_text(seconds, fraction, unit)}"


def _time_text(seconds: int, fraction: int, unit: str) -> str:
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if not fraction:
        return text
    return f"{text}.{str(fraction).zfill(6 if unit == 'us' else 9).rstrip('0')}"
