"""A multiset in insertion order; removal removes the first equal value."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)

_FEW = 16
"""Up to this number of values, removal is a linear search."""

_GONE = object()


class Bag(Generic[T]):
    """Adding, removing, and reading the first or last value take amortized constant time."""

    __slots__ = ("_items", "_places", "_size", "_start")

    def __init__(self) -> None:
        self._items: list[T | object] = []
        self._places: dict[T, deque[int]] | None = None  # of each value, once one was removed from among many
        self._start = 0  # what lies before is gone
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        if self._size == len(self._items):
            yield from self._items  # type: ignore[misc]  # none of them is gone
            return
        for item in self._items:
            if item is not _GONE:
                yield item  # type: ignore[misc]  # the others are of this type

    def add(self, value: T) -> None:
        """Adds a value at the end."""
        if self._places is not None:
            self._places.setdefault(value, deque()).append(len(self._items))
        self._items.append(value)
        self._size += 1

    def remove(self, value: T) -> bool:
        """Removes the first equal value; returns whether there was one."""
        if self._places is None and len(self._items) <= _FEW:
            try:
                self._items.remove(value)
            except ValueError:
                return False
            self._size -= 1
            return True
        if self._places is None:
            self._places = {}
            for place, item in enumerate(self._items):
                self._places.setdefault(item, deque()).append(place)  # type: ignore[arg-type]  # none of them is gone
        places = self._places.get(value)
        if places is None:
            return False
        self._items[places.popleft()] = _GONE
        if not places:
            del self._places[value]
        self._size -= 1
        if 2 * self._size + _FEW < len(self._items):
            self._items = list(self)
            self._places = None
            self._start = 0
        return True

    def first(self) -> T | None:
        """Returns the first value, None if there is none."""
        items = self._items
        while self._start < len(items) and items[self._start] is _GONE:
            self._start += 1
        return items[self._start] if self._start < len(items) else None  # type: ignore[return-value]  # it is not gone

    def last(self) -> T | None:
        """Returns the last value, None if there is none."""
        items = self._items
        while items and items[-1] is _GONE:
            items.pop()
        self._start = min(self._start, len(items))
        return items[-1] if items else None  # type: ignore[return-value]  # it is not gone
