"""Assigns the values of a Python row to columns: by name if the row has names, else by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from table_common.data import Row
from table_common.exceptions import ValidationException

_HINT = "tuple(row) assigns its values by position"


def field_names(element: object) -> tuple[str, ...] | None:
    """Returns the names of a dict, a ``Row`` with names or a named tuple; None if the values have positions only."""
    if isinstance(element, Mapping):
        return tuple(element)
    if isinstance(element, Row):
        return element.get_field_names()
    names = getattr(element, "_fields", None) if isinstance(element, tuple) else None
    return names if isinstance(names, tuple) else None


def names_of_rows(elements: Sequence[object]) -> tuple[str, ...] | None:
    """Returns the names of all rows in the order in which they first appear, or None if no row has names.

    Raises:
        ValidationException: some rows have names and others do not, or a name is not a str.
    """
    if set(map(type, elements)) <= {tuple, list}:
        return None
    named = [field_names(element) for element in elements]
    if all(names is None for names in named):
        return None
    for number, names in enumerate(named, 1):
        if names is None:
            raise ValidationException(
                f"Row {number} has no names, but other rows have.", hint="pass the names of the columns as the schema"
            )
        for name in names:
            if not isinstance(name, str):
                raise ValidationException(f"Row {number} has the name {name!r}, but the name of a column is a str.")
    return tuple(dict.fromkeys(name for names in named if names is not None for name in names))


def bound_to(element: object, columns: Sequence[str], where: str) -> list[Any]:
    """Returns the values of a row in the order of the columns; a column that a row with names does not have is None.

    Args:
        element: a row, or the value of the only column.
        columns: the names of the columns.
        where: the place of the row in error messages, such as ``row 1``.

    Raises:
        ValidationException: the row has a name that is not a column.
    """
    names = field_names(element)
    if names is None or (isinstance(element, tuple) and not set(names) & set(columns)):  # a named tuple is a tuple first
        return list(element) if isinstance(element, (list, tuple, Row)) else [element]
    for name in names:
        if name not in columns:
            raise ValidationException.unknown(
                "Column", str(name), columns, where=where, hint=None if isinstance(element, Mapping) else _HINT
            )
    values = element if isinstance(element, Mapping) else dict(zip(names, element, strict=True))  # type: ignore[call-overload]  # Row, tuple
    return [values.get(name) for name in columns]
