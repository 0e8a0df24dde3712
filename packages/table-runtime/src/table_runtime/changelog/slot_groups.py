"""The rows of a batch by slot: sorted so that the rows of one slot stand together, in their order."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["SlotGroups", "Slots"]

Slots = np.ndarray[Any, np.dtype[np.int64]]
"""A slot for each row of a batch: a number from 0, by which columns of state are addressed."""

_Positions = np.ndarray[Any, np.dtype[np.int64]]


class SlotGroups:
    """``order`` are the rows sorted by slot, stably; group i is ``order[starts[i]:ends[i]]``, of the slot ``slots[i]``."""

    def __init__(self, slots: Slots) -> None:
        rows = len(slots)
        bits = max(1, int(rows - 1).bit_length())
        if rows and int(slots.max()) >> (62 - bits):
            self.order: _Positions = np.argsort(slots, kind="stable")
            ordered = slots[self.order]
        else:
            packed = (slots << bits) | np.arange(rows)  # sorting one integer per row is ten times faster than a stable argsort
            packed.sort()
            self.order = packed & ((1 << bits) - 1)
            ordered = packed >> bits
        is_start = np.ones(rows, np.bool_)
        is_start[1:] = ordered[1:] != ordered[:-1]
        self.starts: _Positions = np.flatnonzero(is_start)
        self.ends: _Positions = np.append(self.starts[1:], rows)
        self.slots: Slots = ordered[self.starts]
        self.sizes: _Positions = self.ends - self.starts
