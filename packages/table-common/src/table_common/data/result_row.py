"""Rows of results."""

from __future__ import annotations

from table_common.annotation import override
from table_common.data import Row

__all__ = ["ResultRow"]


class ResultRow(Row):
    """A row with the column names of its result; it equals a row with the same values and kind that has the same names or none."""

    __slots__ = ()

    @override
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row):
            return NotImplemented
        names = other.get_field_names()
        same_names = names is None or names == self.get_field_names()
        return same_names and self.get_row_kind() is other.get_row_kind() and list(self) == list(other)

    __hash__ = Row.__hash__
