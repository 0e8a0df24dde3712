"""VARIANT values, which travel as JSON text: object keys in order, no blanks."""

from __future__ import annotations

from typing import Any

from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import variant as fn
from table_runtime.kernels.json_text import parse, write
from table_runtime.kernels.kernel import Kernel, total
from table_runtime.kernels.rowwise import python, rows_function

__all__ = ["TABLE", "variant_at"]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key occurs twice in an object")
    return result


def _parse(text: str, allow_duplicates: bool = False) -> str:
    try:
        value = parse(text, None if allow_duplicates else _unique)
    except ValueError as error:
        raise TableRuntimeException(
            f"PARSE_JSON cannot read {text!r}: {error}.", hint="TRY_PARSE_JSON gives NULL for such text."
        ) from error
    return write(value, sort_keys=True)


def _try_parse(text: str, allow_duplicates: bool = False) -> str | None:
    try:
        return _parse(text, allow_duplicates)
    except TableRuntimeException:
        return None


def variant_at(text: str, key: str | int) -> str | None:
    """The field of an object, or the element of an array counted from 1; NULL if there is none."""
    value = parse(text)
    if isinstance(key, str):
        return write(value[key]) if isinstance(value, dict) and key in value else None
    return write(value[key - 1]) if isinstance(value, list) and 1 <= key <= len(value) else None


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.PARSE_JSON: python(_parse, fails=True),
    fn.TRY_PARSE_JSON: total(rows_function(_try_parse)),
}
