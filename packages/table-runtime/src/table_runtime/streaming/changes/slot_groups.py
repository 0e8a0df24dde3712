"""The rows of a batch by slot: sorted so that the rows of one slot stand together, in their order."""

from __future__ import annotations

from typing import Any

import numpy as np

Slots = np.ndarray[Any, np.dtype[np.int64]]
"""A slot for each row of a batch: a number from 0, by which columns of state are addressed."""

_Positions = np.ndarray[Any, np.dtype[np.int64]]


class SlotGroups:
    """``order`` are the rows sorted by slot, stably; group i is ``order[starts[i]:ends[i]]``, of the slot ``slots[i]``."""

    def __init__(self, slots: Slots) -> None:
        rows = len(slots)
        self.order: _Positions = stable_order(slots)
        ordered = slots.take(self.order)
        is_start = np.ones(rows, np.bool_)
        is_start[1:] = ordered[1:] != ordered[:-1]
        self.starts: _Positions = np.flatnonzero(is_start)
        self.ends: _Positions = np.append(self.starts[1:], rows)[: len(self.starts)]
        self.slots: Slots = ordered[self.starts]
        self.sizes: _Positions = self.ends - self.starts


def stable_order(slots: Slots) -> _Positions:
    """Returns the positions of numbers from 0 in ascending order, stably: one radix sort for each 16 bits, because numpy sorts wider integers by comparison, far slower."""
    order: _Positions = np.argsort(slots.astype(np.uint16), kind="stable")
    rest = slots >> 16
    while rest.any():
        order = order.take(np.argsort(rest.astype(np.uint16).take(order), kind="stable"))
        rest >>= 16
    return order
