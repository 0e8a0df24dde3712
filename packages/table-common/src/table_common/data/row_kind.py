"""The kinds of rows in a changelog."""

from __future__ import annotations

from enum import Enum


class RowKind(Enum):
    """A kind of row in a changelog; the value is its code in Arrow data.

    Source: Flink's ``org.apache.flink.types.RowKind``.

    Example:
        >>> RowKind.UPDATE_AFTER.short_string
        '+U'
    """

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    @property
    def short_string(self) -> str:
        """``+I``, ``-U``, ``+U`` or ``-D``."""
        return ("+I", "-U", "+U", "-D")[self.value]

    def __str__(self) -> str:
        return self.short_string
