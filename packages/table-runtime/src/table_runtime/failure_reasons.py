"""What an error of Python or Arrow means to the reader of a message."""

from __future__ import annotations

import re

__all__ = ["reason_of"]

_OUTSIDE_OF_DATETIME = re.compile(r"date value out of range|year -?\d+ is out of range|ordinal must be")


def reason_of(error: BaseException) -> str:
    """Returns the text of an error; where Python's ``datetime`` could not hold a value, it says which values it holds."""
    text = str(error)
    if type(error) in (OverflowError, ValueError) and _OUTSIDE_OF_DATETIME.match(text):
        return "a date or timestamp is outside of the years 1 to 9999."
    return text
