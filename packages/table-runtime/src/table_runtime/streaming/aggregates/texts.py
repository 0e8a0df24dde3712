"""LISTAGG, JSON_ARRAYAGG and JSON_OBJECTAGG: one piece of text per row, joined; a retraction removes the first equal piece.

A result is as large as its group, so the results after each of n rows have n² / 2 pieces in total. An insertion costs a copy of
the result, a retraction a new join of all pieces.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.aggregates import Accumulator
from table_runtime.aggregates.json import JsonArrayAgg, JsonObjectAgg, repeated_key
from table_runtime.columns.plain_types import to_plain
from table_runtime.columns.value_size import check_value_size
from table_runtime.kernels.support.json_text import quote
from table_runtime.streaming.aggregates.bag import Bag
from table_runtime.streaming.aggregates.function import rows_within
from table_runtime.streaming.aggregates.group_objects import GroupObjects
from table_runtime.streaming.changes.segments import Integers

MOST_CHARACTERS = 1 << 25
"""Limit for the total size of the result texts that are computed at once."""


class Pieces:
    """The pieces of a group, and the cached result, which a removal invalidates."""

    __slots__ = ("bag", "keys", "text")

    def __init__(self) -> None:
        self.bag: Bag[str] = Bag()
        self.text: str | None = None
        self.keys: set[str] = set()


class _Texts(GroupObjects[Pieces]):
    keeps = "the texts in their order"
    cost = "the size of the result"
    separator = ","
    begin = ""
    end = ""

    def __init__(self, accumulator: Accumulator) -> None:
        super().__init__(accumulator)
        self._largest = 0

    @override
    def rows_at_once(self, args: Sequence[pa.Array]) -> int:
        # Each of n rows yields a text of its whole group, which grows by at most n of the longest pieces.
        longest = max(1, self.longest(args) + len(self.separator))
        return rows_within(MOST_CHARACTERS, self._largest, longest / 2)

    def longest(self, args: Sequence[pa.Array]) -> int:
        """Returns an approximate upper bound for the length of the pieces of some rows."""
        value = args[-1]
        if pa.types.is_string(value.type):
            return int(pc.max(pc.binary_length(value)).as_py() or 0)
        return 16 + 4 * int(value.nbytes) // max(1, len(value))

    @override
    def create(self) -> Pieces:
        return Pieces()

    @override
    def add(self, group: Pieces, value: Any) -> None:
        if value is None:
            return
        group.bag.add(value)
        if group.text is not None:
            group.text = f"{group.text}{self.separator}{value}"

    @override
    def remove(self, group: Pieces, value: Any) -> bool:
        if value is None:
            return True
        group.text = None
        return group.bag.remove(value)

    @override
    def result(self, group: Pieces) -> str | None:
        if group.text is None:
            if not group.bag:
                return self.over_no_pieces()
            group.text = self.separator.join(group.bag)
        check_value_size(self.accumulator.spec.name, len(group.text))
        self._largest = max(self._largest, len(group.text))
        return f"{self.begin}{group.text}{self.end}" if self.begin else group.text

    def over_no_pieces(self) -> str | None:
        """Returns the result over no pieces."""
        return self.begin + self.end

    @override
    def entries(self, groups: Sequence[Pieces]) -> tuple[Integers, list[pa.Array]]:
        sizes = np.array([len(group.bag) for group in groups], np.int64)
        return sizes, [pa.array([piece for group in groups for piece in group.bag], pa.string())]

    @override
    def entry_values(self, columns: Sequence[pa.Array]) -> Sequence[Any]:
        pieces: list[str] = columns[0].to_pylist()
        return pieces

    @override
    def group_of(self, rows: Sequence[str]) -> Pieces:
        result = Pieces()
        for piece in rows:
            result.bag.add(piece)
        self._largest = max(self._largest, sum(map(len, rows)) + len(self.separator) * len(rows))
        return result

    @override
    @abstractmethod
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[str | None]: ...

    @override
    def as_arrow(self, results: list[Any]) -> pa.Array:
        return pa.array(results, pa.string())


class ListAggState(_Texts):
    """The texts joined by a separator; NULL over no texts."""

    def __init__(self, accumulator: Accumulator) -> None:
        super().__init__(accumulator)
        constants = accumulator.spec.constants
        self._is_null = bool(constants) and constants[0] is None
        if constants and constants[0] is not None:
            self.separator = constants[0]

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[str | None]:
        texts: list[str | None] = args[0].cast(pa.string()).to_pylist()
        return texts

    @override
    def result(self, group: Pieces) -> str | None:
        return None if self._is_null else super().result(group)

    @override
    def over_no_pieces(self) -> str | None:
        return None


class JsonArrayState(_Texts):
    """A JSON array of the values."""

    begin, end = "[", "]"

    def __init__(self, accumulator: JsonArrayAgg) -> None:
        super().__init__(accumulator)
        self._piece = accumulator.piece

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[str | None]:
        return [self._piece(value) for value in to_plain(args[0]).to_pylist()]


class JsonObjectState(_Texts):
    """A JSON object of keys and values; a duplicate key in a group is an error. A retraction takes back the value of its key."""

    begin, end = "{", "}"

    def __init__(self, accumulator: JsonObjectAgg) -> None:
        super().__init__(accumulator)
        self._piece = accumulator.piece

    @override
    def longest(self, args: Sequence[pa.Array]) -> int:
        return super().longest(args[:1]) + super().longest(args)

    @override
    def inputs(self, args: Sequence[pa.Array], rows: int) -> Sequence[Any]:
        return list(zip(args[0].to_pylist(), to_plain(args[1]).to_pylist(), strict=True))

    @override
    def group_of(self, rows: Sequence[str]) -> Pieces:
        result = super().group_of(rows)
        result.keys = {json.JSONDecoder().raw_decode(piece)[0] for piece in rows}  # a piece begins with its key
        return result

    @override
    def add(self, group: Pieces, value: tuple[str | None, Any]) -> None:
        key, _ = value
        piece = self._piece(*value)
        if piece is None or key is None:
            return
        if key in group.keys:
            raise repeated_key(key)
        group.keys.add(key)
        super().add(group, piece)

    @override
    def remove(self, group: Pieces, value: tuple[str | None, Any]) -> bool:
        key, _ = value
        if key is None:
            return False
        if key not in group.keys:
            return self._piece(*value) is None
        piece = self._piece(*value)
        if piece is None or not super().remove(group, piece):
            super().remove(group, self._piece_of(group, key))  # a retraction by key does not have the value
        group.keys.discard(key)
        return True

    @staticmethod
    def _piece_of(group: Pieces, key: str) -> str:
        """Returns the piece of a key that the group has."""
        begin = f"{quote(key)}:"
        return next(piece for piece in group.bag if piece.startswith(begin))
