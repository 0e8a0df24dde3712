"""The different numbers among many."""

from __future__ import annotations

import numpy as np

from table_runtime.streaming.changes.segments import Integers


def distinct_numbers(numbers: Integers) -> tuple[Integers, Integers]:
    """Returns the different numbers, ascending, and for each number its position among them."""
    if not len(numbers):
        return numbers, numbers
    least = int(numbers.min())
    width = int(numbers.max()) - least + 1
    if width > 4 * len(numbers) + 1024:
        distinct, positions = np.unique(numbers, return_inverse=True)
        return distinct, positions
    offsets = numbers - least
    is_there = np.zeros(width, np.bool_)
    is_there[offsets] = True
    return np.flatnonzero(is_there) + least, (np.cumsum(is_there) - 1).take(offsets)
