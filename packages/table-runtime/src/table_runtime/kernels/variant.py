"""VARIANT values, which are stored as canonical JSON text: sorted object keys, no blanks, one notation per number."""

from __future__ import annotations

from math import isfinite
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import variant as fn
from table_runtime.casts.to_text import double_text
from table_runtime.kernels.kernel import Kernel, infallible
from table_runtime.kernels.support.json_text import NumberText, parse, write
from table_runtime.kernels.support.rowwise import python, rows_function

__all__ = ["TABLE", "variant_at"]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key occurs twice in an object")
    return result


_MAX_DIGITS = 38


def _number(text: str) -> NumberText | str:
    """Returns the canonical text of a number: a decimal without trailing zeros, or a DOUBLE for an exponent or too many digits."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, _, fraction = digits.partition(".")
    if "e" in text or "E" in text or len(fraction) > _MAX_DIGITS or len((whole + fraction).lstrip("0")) > _MAX_DIGITS:
        value = float(text)
        return NumberText(double_text(repr(value))) if isfinite(value) else double_text(repr(value))
    fraction = fraction.rstrip("0")
    shown = f"{whole}.{fraction}" if fraction else whole
    return NumberText(shown if shown == "0" else sign + shown)


def _parse(text: str, allow_duplicates: bool = False) -> str:
    try:
        value = parse(text, None if allow_duplicates else _unique, number=_number)
    except ValueError as error:
        raise TableRuntimeException(
            f"PARSE_JSON cannot read {text!r}: {error}.", hint="TRY_PARSE_JSON returns NULL for such text."
        ) from error
    return write(value, sort_keys=True)


def _try_parse(text: str, allow_duplicates: bool = False) -> str | None:
    try:
        return _parse(text, allow_duplicates)
    except TableRuntimeException:
        return None


def variant_at(text: str, key: str | int) -> str | None:
    """Returns the field of an object, or the element of an array counted from 1; None if it does not exist."""
    value = parse(text, number=NumberText)
    if isinstance(key, str):
        return write(value[key]) if isinstance(value, dict) and key in value else None
    return write(value[key - 1]) if isinstance(value, list) and 1 <= key <= len(value) else None


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.PARSE_JSON: python(_parse, fails=True),
    fn.TRY_PARSE_JSON: infallible(rows_function(_try_parse)),
}
