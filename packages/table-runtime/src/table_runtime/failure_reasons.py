"""Translates errors of Python and Arrow into messages for users."""

from __future__ import annotations

import re

from table_common.exceptions import TableRuntimeException
from table_common.types import LogicalType

MEMORY_HINT = "Reduce the data that the query reads, or use the planner 'spark', which spills to disk."

_OUTSIDE_OF_DATETIME = re.compile(r"date value out of range|year -?\d+ is out of range|ordinal must be")
_OUTSIDE_OF_TYPE = re.compile(r"overflow|not in range|out of bounds|out of range|too large to convert|would cause data loss|does not fit")


def reason_of(error: BaseException) -> str:
    """Returns the message of an error; for values outside of Python's ``datetime``, the valid range."""
    text = str(error)
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        return f"the text has half of a surrogate pair, '\\u{ord(error.object[error.start]):04x}', which is not a character."
    if type(error) in (OverflowError, ValueError) and _OUTSIDE_OF_DATETIME.match(text):
        return "a date or timestamp is outside of the years 1 to 9999."
    return text


def failure_of(name: str, output_type: LogicalType, error: BaseException, hint: str | None = None) -> TableRuntimeException:
    """Returns the error of a function or operator that failed on a value; ``hint`` is used if the result is out of range."""
    if isinstance(error, MemoryError):
        return TableRuntimeException(f"{name} ran out of memory.", hint=MEMORY_HINT)
    reason = reason_of(error)
    if _OUTSIDE_OF_TYPE.search(reason):
        years = " (more than six digits of the second are kept for the years 1677 to 2262)" if "[ns]" in reason else ""
        return TableRuntimeException(f"The result of {name} is outside the range of {output_type.summary()}{years}.", hint=hint)
    return TableRuntimeException(f"{name} failed: {reason}")
