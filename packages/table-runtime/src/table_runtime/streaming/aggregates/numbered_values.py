"""A dictionary of values: equal values have the same number, and values are looked up by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.state.key_slots import KeySlots

_FEW = 4096
"""At least this number of unused values is kept before they are purged."""


class NumberedValues:
    """The values of one argument. With ``tells_zeros_apart``, -0.0 and 0.0 have different numbers, so that looked-up values are exact."""

    def __init__(self, type_: pa.DataType, *, tells_zeros_apart: bool = True) -> None:
        self.type = type_
        self._tells_zeros_apart = tells_zeros_apart
        self._values = self._empty()

    def _empty(self) -> KeySlots:
        return KeySlots([self.type], tells_zeros_apart=self._tells_zeros_apart)

    @property
    def size(self) -> int:
        """How many values have a number."""
        return self._values.size

    def numbers(self, values: pa.Array) -> list[int]:
        """Returns the number of each value, NULL included; assigns numbers to new values."""
        found: list[int] = self._values.find_or_insert([values], len(values)).tolist()
        return found

    def values(self, numbers: Sequence[int | None]) -> pa.Array:
        """Returns the values with these numbers, NULL for None."""
        taken = np.array([-1 if number is None else number for number in numbers], np.int64)
        return self.take(taken)

    def take(self, numbers: Integers) -> pa.Array:
        """Returns the values with these numbers, NULL for -1."""
        distinct, places = np.unique(numbers, return_inverse=True)
        is_null = numbers < 0
        if is_null.any():
            distinct = distinct[1:]
            places = places - 1
        return self._values.keys(distinct)[0].take(pa.array(places, mask=is_null))

    def has_many_gone(self, live: int) -> bool:
        """Whether enough values are unused for a purge to pay; ``live`` is the number of used values."""
        return self._values.size > 2 * live + _FEW

    def keep(self, numbers: Iterable[int]) -> dict[int, int]:
        """Purges all other values; returns the new numbers by the old ones."""
        kept = np.unique(np.fromiter(numbers, np.int64))
        values = self._values.keys(kept)[0]
        self._values = self._empty()
        return dict(zip(kept.tolist(), self.numbers(values), strict=True))
