"""Equality of nested values: arrays, maps and rows."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

_NAN = object()


def equality_key(value: Any) -> Hashable:
    """Returns a hashable key that is equal for equal values.

    Values are in the form of pyarrow's ``to_pylist``: a row is a dict, an array a list, a map a list of pairs. Inside of them NULL equals
    NULL and NaN equals NaN; the order of map entries and the names of row fields are ignored.
    """
    if isinstance(value, dict):
        return tuple(map(equality_key, value.values()))
    if isinstance(value, list):
        keys = map(equality_key, value)
        return frozenset(keys) if value and isinstance(value[0], tuple) else tuple(keys)
    if isinstance(value, tuple):
        return tuple(map(equality_key, value))
    hashable: Hashable = _NAN if is_nan(value) else value
    return hashable


def is_nan(value: Any) -> bool:
    """Returns whether a value is NaN."""
    return isinstance(value, float) and value != value
