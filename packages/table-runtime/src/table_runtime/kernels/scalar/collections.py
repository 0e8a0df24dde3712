"""Array and map functions on single values: lists, and lists of (key, value). Inside of collections NULL equals NULL and NaN equals NaN.

A searched element is compared as by `=`, so NaN is never found.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_common.functions import null_map_key
from table_runtime.kernels.support.equality import equality_key, is_nan

_Entries = list[tuple[Any, Any]]


def _order(value: Any) -> tuple[bool, Any]:
    """Returns the sort key of an element; NaN is greater than all numbers."""
    nan = is_nan(value)
    return nan, 0.0 if nan else value


def distinct(values: Iterable[Any]) -> list[Any]:
    """Returns the distinct values in the order of their first occurrences."""
    # Differs from Flink: NaN equals NaN in ARRAY_DISTINCT, ARRAY_UNION, ARRAY_INTERSECT and ARRAY_EXCEPT, like NULL; Flink keeps every NaN.
    seen: dict[Hashable, Any] = {}
    for value in values:
        seen.setdefault(equality_key(value), value)
    return list(seen.values())


def last_wins(entries: _Entries) -> _Entries:
    """Returns the entries with distinct keys; the last value of a key wins."""
    merged = {equality_key(key): (key, value) for key, value in entries}
    return list(merged.values())


def lookup(entries: _Entries, key: Any) -> Any:
    """Returns the value of a key, or None."""
    searched = equality_key(key)
    return next((value for candidate, value in reversed(entries) if equality_key(candidate) == searched), None)


def element(values: list[Any]) -> Any:
    """Returns the only element; None for an empty array."""
    if len(values) > 1:
        raise TableRuntimeException(f"ELEMENT takes an array of one element, but this one has {len(values)}.")
    return values[0] if values else None


def append(values: list[Any] | None, value: Any) -> list[Any] | None:
    """Returns the array with a value added at the end."""
    return None if values is None else [*values, value]


def prepend(values: list[Any] | None, value: Any) -> list[Any] | None:
    """Returns the array with a value added at the beginning."""
    return None if values is None else [value, *values]


def contains(values: list[Any] | None, value: Any) -> bool | None:
    """Returns whether an element equals the value."""
    return None if values is None else not is_nan(value) and equality_key(value) in map(equality_key, values)


def position(values: list[Any], value: Any) -> int:
    """Returns the position of the first element that equals the value, from 1; 0 if there is none."""
    if is_nan(value):
        return 0
    searched = equality_key(value)
    return next((index for index, item in enumerate(values, 1) if equality_key(item) == searched), 0)


def remove(values: list[Any] | None, value: Any) -> list[Any] | None:
    """Returns the array without the elements that equal the value."""
    if is_nan(value):
        return values
    searched = equality_key(value)
    return None if values is None else [item for item in values if equality_key(item) != searched]


def concat(*parts: list[Any]) -> list[Any]:
    """Returns the elements of all arrays."""
    return [item for part in parts for item in part]


def union(first: list[Any], second: list[Any]) -> list[Any]:
    """Returns the distinct elements of both arrays."""
    return distinct([*first, *second])


def intersect(first: list[Any], second: list[Any]) -> list[Any]:
    """Returns the distinct elements of the first array that the second contains."""
    in_second = set(map(equality_key, second))
    return distinct(item for item in first if equality_key(item) in in_second)


def difference(first: list[Any], second: list[Any]) -> list[Any]:
    """Returns the distinct elements of the first array that the second does not contain."""
    in_second = set(map(equality_key, second))
    return distinct(item for item in first if equality_key(item) not in in_second)


def reverse(values: list[Any]) -> list[Any]:
    """Returns the array in reverse order."""
    return values[::-1]


def slice_of(values: list[Any], start: int, end: int | None = None) -> list[Any]:
    """Returns the elements from ``start`` to ``end`` (inclusive), counted from 1, or from the end if negative."""
    size = len(values)
    first = start if start > 0 else 1 if start == 0 else size + start + 1
    last = size if end is None else end if end > 0 else 1 if end == 0 else size + end + 1
    return values[max(first, 1) - 1 : max(last, 0)] if first <= last else []


def sort(values: list[Any], ascending: bool = True, nulls_first: bool | None = None) -> list[Any]:
    """Returns the sorted elements. By default NULLs are first in ascending and last in descending order."""
    non_null = sorted((item for item in values if item is not None), key=_order, reverse=not ascending)
    nulls = [None] * (len(values) - len(non_null))
    return nulls + non_null if (ascending if nulls_first is None else nulls_first) else non_null + nulls


def maximum(values: list[Any]) -> Any:
    """Returns the greatest element that is not NULL."""
    return max((item for item in values if item is not None), key=_order, default=None)


def minimum(values: list[Any]) -> Any:
    """Returns the smallest element that is not NULL."""
    return min((item for item in values if item is not None), key=_order, default=None)


def join(values: list[str | None], delimiter: str, null_text: str | None = None) -> str:
    """Returns the elements joined by the delimiter; NULLs are dropped or replaced by ``null_text``."""
    texts = (null_text if item is None else item for item in values)
    return delimiter.join(text for text in texts if text is not None)


def map_from_arrays(keys: list[Any], values: list[Any]) -> _Entries:
    """Returns a map of the keys and values at equal positions."""
    if len(keys) != len(values):
        raise TableRuntimeException(f"MAP_FROM_ARRAYS takes as many keys as values, but got {len(keys)} and {len(values)}.")
    if any(key is None for key in keys):
        raise null_map_key()
    return last_wins(list(zip(keys, values, strict=True)))


def map_union(*maps: _Entries) -> _Entries:
    """Returns the entries of all maps; for equal keys the last map wins."""
    return last_wins([entry for entries in maps for entry in entries])
