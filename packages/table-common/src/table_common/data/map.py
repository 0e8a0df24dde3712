"""``GenericMapData``: a map that holds its entries as Python objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from table_common.annotation import override, public_evolving
from table_common.data.array import GenericArrayData
from table_common.data.object_getters import require_internal
from table_common.data.row_data import ArrayData, MapData


@public_evolving
class GenericMapData(MapData):
    """Entries of internal structures; maps are equal if they have the same entries, in any order.

    Source: Flink's ``org.apache.flink.table.data.GenericMapData``.

    Example:
        >>> from table_common.data import StringData
        >>> GenericMapData({StringData.from_string("a"): 1}).get(StringData.from_string("a"))
        1
    """

    __slots__ = ("_map",)

    _map: Mapping[Any, Any]

    def __init__(self, entries: Mapping[Any, Any]) -> None:
        """Makes a map of a copy of the entries.

        Raises:
            ValidationException: A key or a value is no internal structure.
        """
        for key, value in entries.items():
            require_internal(key, "A key of a GenericMapData")
            require_internal(value, "A value of a GenericMapData")
        self._map = dict(entries)

    @classmethod
    def _of(cls, entries: dict[Any, Any]) -> GenericMapData:
        """Takes over a dict that is known to hold internal structures."""
        result = object.__new__(cls)
        result._map = entries
        return result

    @override
    def size(self) -> int:
        return len(self._map)

    @override
    def key_array(self) -> ArrayData:
        return GenericArrayData._of(list(self._map))

    @override
    def value_array(self) -> ArrayData:
        return GenericArrayData._of(list(self._map.values()))

    def get(self, key: Any) -> Any:
        """Returns the value of a key, both internal structures; None if the value is NULL or there is no such key."""
        return self._map.get(key)

    def to_dict(self) -> dict[Any, Any]:
        """Returns the entries as a dict of internal structures."""
        return dict(self._map)

    def __contains__(self, key: object) -> bool:
        return key in self._map

    def __eq__(self, other: object) -> bool:
        return self._map == other._map if isinstance(other, GenericMapData) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._map.items()))

    def __repr__(self) -> str:
        return f"GenericMapData({self._map!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return GenericMapData._of, (self._map,)
