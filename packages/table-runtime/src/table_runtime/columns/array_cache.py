"""Values that are computed once from an array and used by several functions, such as its distinct values."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from typing import Any

_KNOWN: dict[int, tuple[weakref.ref[Any], dict[Hashable, Any]]] = {}
"""For each array, by its id, what was derived from it; an entry goes with its array."""


def derived(array: Any, key: Hashable, function: Callable[[Any], Any]) -> Any:
    """Returns ``function(array)``, which is computed once for each array (the object, not its values) and key.

    The result lives as long as the array, so it must not refer to it. Thread-safe: threads that ask at the same time may both compute.
    """
    number = id(array)
    entry = _KNOWN.get(number)
    if entry is None or entry[0]() is not array:
        reference = weakref.ref(array, lambda _: _KNOWN.pop(number, None))
        entry = _KNOWN[number] = (reference, {})
    values = entry[1]
    if key not in values:
        values[key] = function(array)
    return values[key]
