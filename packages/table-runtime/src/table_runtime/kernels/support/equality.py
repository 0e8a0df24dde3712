"""Equality of nested values: arrays, maps and rows."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

__all__ = ["equality_key", "is_nan"]

_NAN = object()


def equality_key(value: Any) -> Hashable:
    """Returns something hashable that is equal for equal values.

    Takes values as pyarrow gives them: a row is a dict, an array a list, a map a list of pairs. NULLs inside are equal to each other, and
    so are NaNs; the order of a map's entries does not count, nor do the names of a row's fields.
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
