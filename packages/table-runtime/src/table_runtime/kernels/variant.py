"""The functions of VARIANT values, which are stored as canonical JSON text."""

from __future__ import annotations

from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import variant as fn
from table_common.json_text import NumberText, parse, variant_text
from table_runtime.kernels.kernel import Kernel, infallible
from table_runtime.kernels.support.json_text import write
from table_runtime.kernels.support.rowwise import python, rows_function


def _parse(text: str, allow_duplicates: bool = False) -> str:
    try:
        return variant_text(text, allow_duplicates=allow_duplicates)
    except ValueError as error:
        raise TableRuntimeException(
            f"PARSE_JSON cannot read {text!r}: {error}.", hint="TRY_PARSE_JSON returns NULL for such text."
        ) from error


def _try_parse(text: str, allow_duplicates: bool = False) -> str | None:
    try:
        return _parse(text, allow_duplicates)
    except TableRuntimeException:
        return None


def variant_at(text: str, key: str | int) -> str | None:
    """Returns the field of an object, or the element of an array counted from 1; None if it does not exist.

    Raises:
        TableRuntimeException: the value is not an object, or not an array.
    """
    value = parse(text, number=NumberText)
    if isinstance(key, str):
        if not isinstance(value, dict):
            raise _wrong_kind(fn.NEEDS_OBJECT, "an array" if isinstance(value, list) else "a scalar")
        return write(value[key]) if key in value else None
    if not isinstance(value, list):
        raise _wrong_kind(fn.NEEDS_ARRAY, "an object" if isinstance(value, dict) else "a scalar")
    return write(value[key - 1]) if 1 <= key <= len(value) else None


def _wrong_kind(message: str, found: str) -> TableRuntimeException:
    return TableRuntimeException(message + found + ".", hint="['name'] is a field of an object, [1] an element of an array")


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.PARSE_JSON: python(_parse, fails=True),
    fn.TRY_PARSE_JSON: infallible(rows_function(_try_parse)),
}
