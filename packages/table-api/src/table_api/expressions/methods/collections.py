"""Functions of arrays, maps and rows."""

from __future__ import annotations

from typing import Self

from table_api.expressions.column_selection import Flattened
from table_api.expressions.node_holder import NodeHolder


class CollectionMethods(NodeHolder):
    """Functions of arrays, maps and rows; positions count from 1."""

    __slots__ = ()

    def at(self, index: object) -> Self:
        """Returns the element of an array at a position, or of a map under a key; NULL if there is none."""
        return self._call("AT", index)

    def get(self, name_or_index: str | int) -> Self:
        """Returns a field of a row, by name or by position from 0."""
        return self._call("GET", name_or_index)

    @property
    def flatten(self) -> Self:
        """Returns the fields of a row as columns, for ``select``: ``r`` becomes ``r$a``, ``r$b``, …; another value stays one column."""
        return type(self)(Flattened(self.unresolved))

    @property
    def cardinality(self) -> Self:
        """Returns the number of elements or entries."""
        return self._call("CARDINALITY")

    @property
    def element(self) -> Self:
        """Returns the only element; NULL if the array is empty."""
        return self._call("ELEMENT")

    @property
    def map_keys(self) -> Self:
        """Returns the keys as an array."""
        return self._call("MAP_KEYS")

    @property
    def map_values(self) -> Self:
        """Returns the values as an array."""
        return self._call("MAP_VALUES")

    @property
    def map_entries(self) -> Self:
        """Returns the entries as an array of rows."""
        return self._call("MAP_ENTRIES")

    def map_union(self, *maps: object) -> Self:
        """Returns the entries of all maps; the later map wins."""
        return self._call("MAP_UNION", *maps)

    def array_append(self, addition: object) -> Self:
        """Returns the array with an element at its end."""
        return self._call("ARRAY_APPEND", addition)

    def array_prepend(self, addition: object) -> Self:
        """Returns the array with an element at its beginning."""
        return self._call("ARRAY_PREPEND", addition)

    def array_contains(self, needle: object) -> Self:
        """Returns whether the array has the element."""
        return self._call("ARRAY_CONTAINS", needle)

    def array_distinct(self) -> Self:
        """Returns the elements without duplicates."""
        return self._call("ARRAY_DISTINCT")

    def array_position(self, needle: object) -> Self:
        """Returns the position of the first occurrence; 0 if the element does not occur."""
        return self._call("ARRAY_POSITION", needle)

    def array_remove(self, needle: object) -> Self:
        """Returns the array without the element."""
        return self._call("ARRAY_REMOVE", needle)

    def array_reverse(self) -> Self:
        """Returns the elements in reverse order."""
        return self._call("ARRAY_REVERSE")

    def array_slice(self, start_offset: object, end_offset: object = None) -> Self:
        """Returns the elements from one position to another; negative ones count from the end."""
        return self._call("ARRAY_SLICE", start_offset, optional=[end_offset])

    def array_sort(self, ascending_order: object = None, null_first: object = None) -> Self:
        """Returns the elements in order."""
        return self._call("ARRAY_SORT", optional=[ascending_order, null_first])

    def array_union(self, array: object) -> Self:
        """Returns the elements of both arrays without duplicates."""
        return self._call("ARRAY_UNION", array)

    def array_concat(self, *arrays: object) -> Self:
        """Returns the elements of all arrays."""
        return self._call("ARRAY_CONCAT", *arrays)

    def array_max(self) -> Self:
        """Returns the greatest element."""
        return self._call("ARRAY_MAX")

    def array_min(self) -> Self:
        """Returns the least element."""
        return self._call("ARRAY_MIN")

    def array_join(self, delimiter: object, null_replacement: object = None) -> Self:
        """Returns the elements as text with a delimiter between them."""
        return self._call("ARRAY_JOIN", delimiter, optional=[null_replacement])

    def array_except(self, array: object) -> Self:
        """Returns the elements that are not in the other array, without duplicates."""
        return self._call("ARRAY_EXCEPT", array)

    def array_intersect(self, array: object) -> Self:
        """Returns the elements that are also in the other array, without duplicates."""
        return self._call("ARRAY_INTERSECT", array)

    def object_update(self, *kvs: object) -> Self:
        """Returns the object with fields replaced, given as names and values in turn."""
        return self._call("OBJECT_UPDATE", *kvs)

    def bitmap_and(self, bitmap2: object) -> Self:
        """Returns the members of both bitmaps."""
        return self._call("BITMAP_AND", bitmap2)

    def bitmap_or(self, bitmap2: object) -> Self:
        """Returns the members of either bitmap."""
        return self._call("BITMAP_OR", bitmap2)

    def bitmap_xor(self, bitmap2: object) -> Self:
        """Returns the members of exactly one of the bitmaps."""
        return self._call("BITMAP_XOR", bitmap2)

    def bitmap_andnot(self, bitmap2: object) -> Self:
        """Returns the members that are not in the other bitmap."""
        return self._call("BITMAP_ANDNOT", bitmap2)

    def bitmap_build(self) -> Self:
        """Returns the bitmap of an array of integers."""
        return self._call("BITMAP_BUILD")

    def bitmap_cardinality(self) -> Self:
        """Returns the number of members."""
        return self._call("BITMAP_CARDINALITY")

    def bitmap_from_bytes(self) -> Self:
        """Returns the bitmap of its serialized bytes."""
        return self._call("BITMAP_FROM_BYTES")

    def bitmap_to_array(self) -> Self:
        """Returns the members as an array."""
        return self._call("BITMAP_TO_ARRAY")

    def bitmap_to_bytes(self) -> Self:
        """Returns the serialized bytes."""
        return self._call("BITMAP_TO_BYTES")

    def bitmap_to_string(self) -> Self:
        """Returns the members as text."""
        return self._call("BITMAP_TO_STRING")

    def bitmap_and_agg(self) -> Self:
        """Aggregates bitmaps to their common members."""
        return self._call("BITMAP_AND_AGG")

    def bitmap_or_agg(self) -> Self:
        """Aggregates bitmaps to all members."""
        return self._call("BITMAP_OR_AGG")

    def bitmap_xor_agg(self) -> Self:
        """Aggregates bitmaps to members that an odd number of them has."""
        return self._call("BITMAP_XOR_AGG")

    def bitmap_build_agg(self) -> Self:
        """Aggregates integers to a bitmap."""
        return self._call("BITMAP_BUILD_AGG")

    def bitmap_and_cardinality_agg(self) -> Self:
        """Counts the common members of bitmaps."""
        return self._call("BITMAP_AND_CARDINALITY_AGG")

    def bitmap_or_cardinality_agg(self) -> Self:
        """Counts all members of bitmaps."""
        return self._call("BITMAP_OR_CARDINALITY_AGG")

    def bitmap_xor_cardinality_agg(self) -> Self:
        """Counts the members that an odd number of bitmaps has."""
        return self._call("BITMAP_XOR_CARDINALITY_AGG")

    def bitmap_build_cardinality_agg(self) -> Self:
        """Counts distinct integers by a bitmap."""
        return self._call("BITMAP_BUILD_CARDINALITY_AGG")
