"""A sorted multiset with access by position, stored in blocks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

_BLOCK = 512
"""A block with twice this number of distinct values is split."""


class CountedOrder:
    """Each distinct value is stored once, with a count; a block holds a list of values, their counts, and the sum of the counts."""

    __slots__ = ("_blocks", "_counts", "_highest", "_totals", "size")

    def __init__(self) -> None:
        self._blocks: list[list[float]] = []
        self._counts: list[list[int]] = []
        self._totals: list[int] = []
        self._highest: list[float] = []  # the last value of each block
        self.size = 0
        """The sum of all counts."""

    def __iter__(self) -> Iterator[tuple[float, int]]:
        for block, counts in zip(self._blocks, self._counts, strict=True):
            yield from zip(block, counts, strict=True)

    def add(self, value: float, count: int) -> None:
        """Adds a value ``count`` times."""
        self.size += count
        if not self._blocks:
            self._blocks, self._counts, self._totals, self._highest = [[value]], [[count]], [count], [value]
            return
        number = min(bisect_left(self._highest, value), len(self._blocks) - 1)
        block, counts = self._blocks[number], self._counts[number]
        self._totals[number] += count
        place = bisect_left(block, value)
        if place < len(block) and block[place] == value:
            counts[place] += count
            return
        block.insert(place, value)
        counts.insert(place, count)
        self._highest[number] = block[-1]
        if len(block) > 2 * _BLOCK:
            self._divide(number)

    def remove(self, value: float, count: int) -> bool:
        """Removes a value ``count`` times; returns whether its count was at least that."""
        number = bisect_left(self._highest, value)
        if number == len(self._blocks):
            return False
        block, counts = self._blocks[number], self._counts[number]
        place = bisect_left(block, value)
        if block[place] != value or counts[place] < count:
            return False
        self.size -= count
        self._totals[number] -= count
        counts[place] -= count
        if counts[place]:
            return True
        del block[place], counts[place]
        if block:
            self._highest[number] = block[-1]
        else:
            del self._blocks[number], self._counts[number], self._totals[number], self._highest[number]
        return True

    def at(self, position: int) -> float:
        """Returns the value at a position, from 0, counting duplicates."""
        number = 0
        for total in self._totals:
            if position < total:
                break
            position -= total
            number += 1
        counts = self._counts[number]
        if self._totals[number] == len(counts):  # distinct values only
            return self._blocks[number][position]
        place = 0
        while position >= counts[place]:
            position -= counts[place]
            place += 1
        return self._blocks[number][place]

    def _divide(self, number: int) -> None:
        block, counts = self._blocks[number], self._counts[number]
        half = len(block) // 2
        self._blocks[number : number + 1] = [block[:half], block[half:]]
        self._counts[number : number + 1] = [counts[:half], counts[half:]]
        self._totals[number : number + 1] = [sum(counts[:half]), sum(counts[half:])]
        self._highest[number : number + 1] = [block[half - 1], block[-1]]
