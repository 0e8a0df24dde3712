"""Collections for large accumulators, which an engine may store outside of the accumulator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from table_common.exceptions import ValidationException

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class DataView(ABC):
    """A collection in an accumulator.

    Source: Flink's ``org.apache.flink.table.api.dataview.DataView``.

    Example:
        >>> isinstance(ListView(), DataView)
        True
    """

    __slots__ = ()

    @abstractmethod
    def clear(self) -> None:
        """Removes all values."""


class ListView(DataView, Generic[T]):
    """A list in an accumulator.

    Source: Flink's ``org.apache.flink.table.api.dataview.ListView``.

    Example:
        >>> view = ListView()
        >>> view.add_all([1, 2])
        >>> list(view.get())
        [1, 2]
    """

    __slots__ = ("_list",)

    def __init__(self, values: Iterable[T] = ()) -> None:
        self._list = list(values)

    def get(self) -> Iterator[T]:
        """Returns the values in order."""
        return iter(self._list)

    def add(self, value: T) -> None:
        """Adds a value at the end."""
        self._list.append(value)

    def add_all(self, values: Iterable[T]) -> None:
        """Adds values at the end."""
        self._list.extend(values)

    def remove(self, value: T) -> bool:
        """Removes the first equal value; returns whether there was one."""
        if value not in self._list:
            return False
        self._list.remove(value)
        return True

    def clear(self) -> None:
        """Removes all values."""
        self._list.clear()

    def __iter__(self) -> Iterator[T]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __eq__(self, other: object) -> bool:
        return self._list == other._list if isinstance(other, ListView) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"ListView({self._list!r})"


class MapViewIterator(Iterator[T]):
    """Iterates over a map; ``remove`` removes the entry that ``next`` returned last.

    Source: the iterators of PyFlink's ``MapView`` in state.

    Example:
        >>> view = MapView({"a": 1, "b": 2})
        >>> entries = view.items()
        >>> next(entries)
        ('a', 1)
        >>> entries.remove()
        >>> view
        MapView({'b': 2})
    """

    __slots__ = ("_keys", "_last", "_map", "_value_of")

    def __init__(self, entries: dict[Any, Any], value_of: Callable[[Any], T]) -> None:
        self._map = entries
        self._value_of = value_of
        self._keys = iter(list(entries))  # entries may be removed meanwhile
        self._last: list[Any] = []

    def __next__(self) -> T:
        for key in self._keys:
            if key in self._map:
                self._last = [key]
                return self._value_of(key)
        self._last = []
        raise StopIteration

    def __len__(self) -> int:
        return len(self._map)

    def remove(self) -> None:
        """Removes the entry that ``next`` returned last.

        Raises:
            ValidationException: there is none, or it was removed before.
        """
        if not self._last:
            raise ValidationException("remove() of an iterator removes the entry that next() returned, but there is none.")
        del self._map[self._last.pop()]


class MapView(DataView, Generic[K, V]):
    """A map in an accumulator.

    Source: Flink's ``org.apache.flink.table.api.dataview.MapView``.

    Example:
        >>> view = MapView()
        >>> view.put("a", 1)
        >>> view.get("a"), view.get("b")
        (1, None)
    """

    __slots__ = ("_map",)

    def __init__(self, values: Mapping[K, V] | None = None) -> None:
        self._map = dict(values or {})

    def get(self, key: K) -> V | None:
        """Returns the value of a key, or None."""
        return self._map.get(key)

    def put(self, key: K, value: V) -> None:
        """Sets the value of a key."""
        self._map[key] = value

    def put_all(self, dict_value: Mapping[K, V]) -> None:
        """Sets the values of several keys."""
        self._map.update(dict_value)

    def remove(self, key: K) -> None:
        """Removes a key if it exists."""
        self._map.pop(key, None)

    def contains(self, key: K) -> bool:
        """Returns whether a key exists."""
        return key in self._map

    def items(self) -> MapViewIterator[tuple[K, V]]:
        """Returns the pairs of key and value."""
        return MapViewIterator(self._map, lambda key: (key, self._map[key]))

    def keys(self) -> MapViewIterator[K]:
        """Returns the keys."""
        return MapViewIterator(self._map, lambda key: key)

    def values(self) -> MapViewIterator[V]:
        """Returns the values."""
        return MapViewIterator(self._map, self._map.__getitem__)

    def is_empty(self) -> bool:
        """Returns whether there is no key."""
        return not self._map

    def clear(self) -> None:
        """Removes all keys."""
        self._map.clear()

    def __contains__(self, key: object) -> bool:
        return key in self._map

    def __getitem__(self, key: K) -> V:
        return self._map[key]

    def __setitem__(self, key: K, value: V) -> None:
        self._map[key] = value

    def __delitem__(self, key: K) -> None:
        del self._map[key]

    def __iter__(self) -> MapViewIterator[K]:
        return self.keys()

    def __len__(self) -> int:
        return len(self._map)

    def __eq__(self, other: object) -> bool:
        return self._map == other._map if isinstance(other, MapView) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"MapView({self._map!r})"
