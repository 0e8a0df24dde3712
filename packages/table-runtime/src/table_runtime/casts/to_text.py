"""Casts to strings and bytes, with truncation and padding to a length."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.json_text import double_text
from table_common.types import (
    BinaryStringType,
    BinaryType,
    CharacterType,
    CharType,
    LogicalType,
    PrecisionTimeType,
)
from table_runtime.casts.distinct import map_distinct
from table_runtime.casts.temporal import TICKS_PER_SECOND
from table_runtime.casts.zone import to_local
from table_runtime.columns.value_size import check_value_size
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.roaring import decode


def fit_text(values: Any, target: LogicalType) -> Any:
    """Truncates to the target's length in code points; CHAR is also padded with blanks."""
    assert isinstance(target, CharacterType)
    if isinstance(target, CharType) or target.length < 2**31 - 1:
        values = pc.utf8_slice_codeunits(values, 0, target.length)
    if isinstance(target, CharType):
        check_value_size("CAST", target.length)
        values = pc.utf8_rpad(values, target.length, " ")
    return values


def fit_binary(values: Any, target: LogicalType) -> Any:
    """Truncates to the target's length in bytes; BINARY is also padded with zero bytes."""
    assert isinstance(target, BinaryStringType)
    if isinstance(target, BinaryType):
        check_value_size("CAST", target.length)
        values = pc.binary_join_element_wise(values, pa.scalar(bytes(target.length)), pa.scalar(b""))
    elif target.length == 2**31 - 1:
        return values
    return pc.binary_slice(values, 0, target.length)


def boolean_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns ``TRUE`` or ``FALSE``."""
    return pc.if_else(values, "TRUE", "FALSE")


def number_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns plain digits; a decimal has all digits of its scale."""
    if pa.types.is_decimal(values.type) and values.type.scale > 6:
        # Arrow writes small decimals with an exponent.
        return map_distinct(values, lambda value: format(value, "f"), pa.string())
    return pc.cast(values, pa.string())


def approximate_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns the shortest digits that identify the number, with an exponent from 1.0E7 up and below 0.001."""
    # Differs from Flink: on Java before 19 Flink (and Spark) write some numbers with more digits, such as 9.999999999999999E22 for 1.0E23.
    # Differs from Flink: a constant is cast as a column is. Flink folds some by their text, so that CAST(CAST(0.1 AS FLOAT) AS DOUBLE) is 0.1 there.
    texts, is_plain = plain_texts(values)
    if pc.all(is_plain).as_py() is not False:
        return texts
    not_plain = pc.invert(pc.fill_null(is_plain, True))
    to_text = partial(_text_with_exponent, is_float=pa.types.is_float32(values.type))
    return pc.replace_with_mask(texts, not_plain, map_distinct(pc.cast(pc.filter(values, not_plain), pa.string()), to_text, pa.string()))


def _text_with_exponent(shortest: str, *, is_float: bool) -> str:
    """Returns Java's text, which has at least two digits: the smallest numbers are identified by one, and the second one is not always 0."""
    digits, _, exponent = shortest.lstrip("-").partition("e")
    if len(digits) == 1 and exponent:
        shortest = f"{float(np.float32(shortest) if is_float else shortest):.1e}"
    return double_text(shortest)


def plain_texts(values: Any) -> tuple[Any, Any]:
    """Returns Arrow's text with a decimal point, and whether it is Java's text: for zero, and from 0.001 to below 10 million."""
    size = pc.abs(values)
    in_range = pc.and_(pc.greater_equal(size, pa.scalar(0.001, values.type)), pc.less(size, pa.scalar(1e7, values.type)))
    is_plain = pc.or_(in_range, pc.equal(size, pa.scalar(0.0, values.type)))
    texts = pc.cast(values, pa.string())
    with_point = pc.binary_join_element_wise(texts, pa.scalar(".0"), pa.scalar(""))
    return pc.if_else(pc.match_substring(texts, "."), texts, with_point), is_plain


def date_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns ``yyyy-MM-dd``."""
    return pc.cast(values, pa.string())


def time_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns ``HH:mm:ss`` and the fraction without trailing zeros, at least one digit if the type has a fraction."""
    assert isinstance(source, PrecisionTimeType)
    texts = pc.cast(values, pa.string())
    if source.precision == 0:
        return pc.utf8_slice_codeunits(texts, 0, 8)
    texts = pc.utf8_slice_codeunits(texts, 0, 9 + source.precision)
    return pc.replace_substring_regex(texts, r"(\.\d+?)0+$", r"\1")


def timestamp_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns ``yyyy-MM-dd HH:mm:ss`` with as many fractional digits as the type has."""
    assert isinstance(source, PrecisionTimeType)
    texts = pc.cast(values, pa.string())
    width = {"s": 0, "ms": 4, "us": 7, "ns": 10}[values.type.unit]
    surplus = width - (source.precision + 1 if source.precision else 0)
    return pc.utf8_slice_codeunits(texts, 0, -surplus) if surplus else texts


def ltz_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns the text of the local timestamp in the session's time zone."""
    return timestamp_to_text(to_local(values, context.time_zone), source, context)


def year_month_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns ``+y-mm``."""
    return map_distinct(values, lambda months: f"{'-' if months < 0 else '+'}{abs(months) // 12}-{abs(months) % 12:02d}", pa.string())


def day_time_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns ``+d hh:mm:ss.SSS``."""
    per_milli = TICKS_PER_SECOND[values.type.unit] // 1_000

    def write(ticks: int) -> str:
        seconds, millis = divmod(abs(ticks) // per_milli, 1_000)
        minutes, second = divmod(seconds, 60)
        hours, minute = divmod(minutes, 60)
        day, hour = divmod(hours, 24)
        return f"{'-' if ticks < 0 else '+'}{day} {hour:02d}:{minute:02d}:{second:02d}.{millis:03d}"

    return map_distinct(pc.cast(values, pa.int64()), write, pa.string())


def binary_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """Returns the bytes decoded as UTF-8; invalid bytes become U+FFFD."""
    try:
        return pc.cast(values, pa.string())
    except pa.ArrowInvalid:
        return map_distinct(values, lambda value: value.decode("utf-8", "replace"), pa.string())


def text_to_binary(values: Any) -> Any:
    """Returns the UTF-8 bytes of the text."""
    return pc.cast(values, pa.binary())


def bitmap_to_text(values: Any, source: LogicalType, context: EvaluationContext) -> Any:
    """The values of a BITMAP in braces, as BITMAP_TO_STRING writes them."""
    return map_distinct(values, roaring_to_text, pa.string())


def roaring_to_text(data: bytes) -> str:
    """Returns the text of a serialized BITMAP."""
    return f"{{{','.join(map(str, sorted(decode(data))))}}}"
