"""Values of a map's keys as keys of a Python dict."""

from __future__ import annotations

from typing import Any

from table_common.data.row import Row


def hashable(value: Any) -> Any:
    """Returns the value as a dict's key can be: lists as tuples, dicts as tuples of pairs."""
    if isinstance(value, list):
        return tuple(hashable(item) for item in value)
    if isinstance(value, dict):
        return tuple((k, hashable(v)) for k, v in value.items())
    if isinstance(value, Row):
        return Row.of_names(value.get_field_names(), [hashable(item) for item in value], value.get_row_kind())
    return value
