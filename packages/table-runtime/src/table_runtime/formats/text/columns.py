"""Converts columns of text to values by kernels, for csv and json.

Each type has a pattern of the texts that Arrow converts exactly as ``parser_of`` does. All other texts of the column, such as a leap day or a
number with blanks, are parsed one by one, and their values are put in place, so that one unusual text does not slow down its column.
"""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
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
)
from table_runtime.casts.decimals import round_decimals
from table_runtime.formats.text.forms import PARTITIONS, TextForms
from table_runtime.formats.text.matching import matching
from table_runtime.formats.text.moments import dates, times, timestamps
from table_runtime.formats.text.values import parser_of, wide_decimal

_NUMBER = r"^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"
_MOST_DIGITS = {8: 2, 16: 4, 32: 9, 64: 18}
"""The number of digits that always fit into an integer, by its bits."""
LONG_DECIMAL = pa.decimal256(76, 38)
"""The type of decimals before they are rounded."""
_BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


def parse_column(
    texts: pa.Array, type_: LogicalType, forms: TextForms = PARTITIONS, *, ignore_errors: bool = False
) -> tuple[pa.Array, tuple[int, str, str] | None]:
    """Returns the values, and the first failure as (position, text, reason) or None.

    Texts that are not values become NULL; with ``ignore_errors``, no failure is returned.
    """
    values, failures = converted(texts, type_, forms)
    if failures is None or ignore_errors:
        return values, None
    position = failures[0].as_py()
    text = texts[position].as_py()
    try:
        parser_of(type_, forms)(text)
    except ValueError as error:
        return values, (position, text, str(error))
    raise AssertionError(f"{text!r} is a value of the type {type_.summary()}")


def converted(texts: pa.Array, type_: LogicalType, forms: TextForms = PARTITIONS) -> tuple[pa.Array, pa.Array | None]:
    """Returns the values, and the positions of the texts that are not values (None: there are none); these become NULL."""
    if isinstance(type_, CharacterType):
        return texts, None
    arrow_type = to_arrow_type(type_)
    values, remaining = _by_kernels(texts, type_, arrow_type, forms)
    if remaining is None:
        return values, None
    parse = parser_of(type_, forms)
    encoded = pc.dictionary_encode(texts.filter(remaining))
    parsed: list[Any] = []
    failures: list[int] = []
    for index, text in enumerate(encoded.dictionary.to_pylist()):
        try:
            parsed.append(parse(text))
        except ValueError:
            parsed.append(None)
            failures.append(index)
    others = pc.take(pa.array(parsed, type=arrow_type), encoded.indices)
    values = others if len(others) == len(values) else pc.replace_with_mask(values, remaining, others)
    if not failures:
        return values, None
    if len(failures) == len(parsed):
        return values, pc.indices_nonzero(remaining)
    failed = pc.is_in(encoded.indices, value_set=pa.array(failures, type=encoded.indices.type))
    return values, pc.indices_nonzero(remaining).filter(failed)


def _by_kernels(texts: pa.Array, type_: LogicalType, arrow_type: pa.DataType, forms: TextForms) -> tuple[pa.Array, pa.Array | None]:
    """Returns the values, and a mask of the texts that must be parsed one by one (None: there are none)."""
    match type_:
        case FloatType() | DoubleType():
            return _numbers(texts, arrow_type)
        case DecimalType():
            return _decimals(texts, type_, arrow_type)
        case BooleanType():
            return _booleans(texts)
        case DateType():
            return dates(texts, arrow_type)
        case TimestampType() | LocalZonedTimestampType():
            return timestamps(texts, type_, arrow_type, forms)
        case TimeType():
            return times(texts, type_.precision, arrow_type)
        case BinaryStringType():
            return matching(texts, _BASE64, _from_base64, whole=False)
        case _ if pa.types.is_integer(arrow_type):
            digits = _MOST_DIGITS[arrow_type.bit_width]
            whole = _has_none_of(texts, b"xX")  # Arrow reads hexadecimal numbers
            return matching(texts, f"^-?[0-9]{{1,{digits}}}$", lambda sure: pc.cast(sure, arrow_type), whole=whole, characters="-")
        case _:
            return pa.nulls(len(texts), arrow_type), pc.is_valid(texts)


def _has_none_of(texts: pa.Array, characters: bytes) -> bool:
    """Returns whether no text has one of these ASCII characters."""
    if not pa.types.is_string(texts.type):
        found = [pc.any(pc.match_substring(texts, chr(character))).as_py() is True for character in characters]
        return not any(found)
    offsets, data = texts.buffers()[1:]
    if data is None or not len(texts):
        return True
    bounds = memoryview(offsets).cast("i")
    start, end = bounds[texts.offset], bounds[texts.offset + len(texts)]
    content = data.slice(start, end - start).to_pybytes()
    return not any(character in content for character in characters)


def _numbers(texts: pa.Array, arrow_type: pa.DataType) -> tuple[pa.Array, pa.Array | None]:
    values, remaining = matching(texts, _NUMBER, lambda sure: pc.cast(sure, arrow_type), whole=True, characters="+-.eE")
    # Arrow accepts further words for infinity and NaN.
    finite = pc.is_finite(values)
    if pc.all(finite).as_py() is not False:
        return values, remaining
    infinite = pc.fill_null(pc.invert(finite), False)
    return values, infinite if remaining is None else pc.or_(infinite, remaining)


def _decimals(texts: pa.Array, type_: DecimalType, arrow_type: pa.DataType) -> tuple[pa.Array, pa.Array | None]:
    wide = wide_decimal(type_)
    # Arrow wraps around at more digits than it has, and ends the process at exponents below minus some million.
    is_short = (pc.max(pc.binary_length(texts)).as_py() or 0) <= wide.precision
    whole = type_.precision - type_.scale
    digits = f"[0-9]{{1,{whole}}}" if whole else "0"
    fraction = rf"(?:\.[0-9]{{1,{type_.scale}}})?" if type_.scale else ""
    values, remaining = matching(
        texts,
        f"^-?{digits}{fraction}$",
        lambda sure: pc.cast(pc.cast(sure, wide), arrow_type),
        whole=is_short and _has_none_of(texts, b"eE"),
        characters="-." if is_short else None,
    )
    if remaining is None:
        return values, None
    # More digits of the fraction are rounded half up.
    pattern = rf"^-?[0-9]{{1,{min(whole, 37)}}}\.[0-9]{{1,38}}$" if whole else r"^-?0\.[0-9]{1,38}$"
    long = pc.and_(pc.match_substring_regex(texts, pattern), remaining)
    if pc.any(long).as_py() is not True:
        return values, remaining
    exact = pc.cast(pc.if_else(long, texts, pa.scalar(None, pa.string())), LONG_DECIMAL)
    rounded = rounded_decimals(exact, type_)
    done = pc.is_valid(rounded)
    return pc.if_else(done, rounded, values), pc.and_(remaining, pc.invert(done))


def rounded_decimals(exact: pa.Array, type_: DecimalType) -> pa.Array:
    """Rounds decimals of the type ``LONG_DECIMAL`` half up; those with too many digits become NULL."""
    rounded = round_decimals(exact, type_.scale, "half_towards_infinity")
    limit = pa.scalar(Decimal((0, (1,), min(type_.precision - type_.scale, 37))), rounded.type)
    fits = pc.less(pc.abs(rounded), limit)
    return pc.cast(pc.if_else(fits, rounded, pa.scalar(None, rounded.type)), to_arrow_type(type_))


def _booleans(texts: pa.Array) -> tuple[pa.Array, pa.Array | None]:
    true, known = pc.equal(texts, pa.scalar("true")), pc.is_in(texts, value_set=pa.array(["true", "false"]))
    if pc.all(pc.or_(known, pc.is_null(texts))).as_py() is not False:
        return true, None
    return true, pc.and_(pc.is_valid(texts), pc.invert(known))


def _from_base64(texts: pa.Array) -> pa.Array:
    """Decodes Base64 texts, all of them at once: their padding is decoded as zeros, which are cut off."""
    present = pc.fill_null(texts, "") if texts.null_count else texts
    lengths = pc.cast(pc.binary_length(present), pa.int64())
    padding = pc.subtract(lengths, pc.cast(pc.binary_length(pc.utf8_rtrim(present, "=")), pa.int64()))
    ends = pc.cumulative_sum(pc.multiply(pc.divide(lengths, 4), 3))
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    joined = pc.binary_join(pa.LargeListArray.from_arrays(pa.array([0, len(texts)], pa.int64()), present), "")[0].as_py()
    data = base64.b64decode(joined.replace("=", "A"))
    validity = pc.is_valid(texts).buffers()[1] if texts.null_count else None
    groups = pa.Array.from_buffers(pa.large_binary(), len(texts), [validity, offsets.buffers()[1], pa.py_buffer(data)])
    values = pc.cast(groups, pa.binary())
    for count in (1, 2):
        padded = pc.equal(padding, count)
        if pc.any(padded).as_py():
            values = pc.if_else(padded, pc.binary_slice(values, 0, -count), values)
    return values
