"""Slots in cells that keys have as addresses."""

from __future__ import annotations

from typing import Any

import numpy as np

from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots

EMPTY = -1
"""The value of a cell without a slot."""
_CLAIM = -2
"""While slots are given, a cell that a row claims has this value minus the number of the row."""

Cells = np.ndarray[Any, np.dtype[np.int32]]


def find_or_claim(cells: Cells, addresses: Integers, size: int) -> tuple[Slots, int, Integers]:
    """Returns the slots at some addresses. Empty cells get the next slots from ``size`` on, in the order of the first rows with their addresses.

    Returns the number of slots, too, and for each new slot the first row.
    """
    slots = cells.take(addresses).astype(np.int64)
    missing = np.flatnonzero(slots < 0)
    if not len(missing):
        return slots, size, missing
    at = addresses.take(missing)
    cells[at[::-1]] = np.arange(
        _CLAIM + 1 - len(missing), _CLAIM + 1, dtype=np.int32
    )  # of several values for one cell numpy keeps the last one
    claims = _CLAIM - cells.take(at)
    first = np.flatnonzero(claims == np.arange(len(missing), dtype=np.int32))
    new = np.empty(len(missing), np.int32)
    new[first] = np.arange(size, size + len(first), dtype=np.int32)
    cells[at.take(first)] = new.take(first)
    slots[missing] = new.take(claims)
    return slots, size + len(first), missing.take(first)
