"""Computes the changes that a batch emits from the rows before and after each change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from table_runtime.changelog.batch import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, Kinds
from table_runtime.changelog.equal_values import equal_values
from table_runtime.changelog.segments import Integers

__all__ = ["GivenChanges", "RowChanges"]


class GivenChanges(NamedTuple):
    """For each change that is given, in order: the row of the input that it follows, the position of its values, its kind."""

    rows: Integers
    positions: Integers
    kinds: Kinds


class RowChanges(NamedTuple):
    """For each change of a result: the row of the input that it follows, the positions of the values before and after it; -1 is no row."""

    rows: Integers
    before: Integers
    after: Integers

    def given(self, values: Sequence[pa.Array], *, gives_before: bool, repeats_unchanged: bool = False) -> GivenChanges:
        """Returns the changes in the order of the input, without those that leave all ``values`` as they are unless ``repeats_unchanged``.

        Without ``gives_before`` an update is its UPDATE_AFTER alone.
        """
        existed, exists = self.before >= 0, self.after >= 0
        gives_old, gives_new = existed.copy(), exists.copy()
        if not repeats_unchanged:
            both = np.flatnonzero(existed & exists)
            is_same = np.ones(len(both), np.bool_)
            for column in values:
                is_same &= equal_values(column.take(pa.array(self.before[both])), column.take(pa.array(self.after[both])))
            gives_old[both[is_same]] = gives_new[both[is_same]] = False
        if not gives_before:
            gives_old &= ~exists
        # What a row gives lies behind all that the rows before it give.
        given = np.zeros(int(self.rows.max(initial=-1)) + 1, np.int64)
        given[self.rows] = gives_old.astype(np.int64) + gives_new
        places = (np.cumsum(given) - given)[self.rows]
        total = int(given.sum())
        rows, positions, kinds = np.empty(total, np.int64), np.empty(total, np.int64), np.empty(total, np.int8)
        old, new = np.flatnonzero(gives_old), np.flatnonzero(gives_new)
        at = places[old]
        rows[at], positions[at], kinds[at] = self.rows[old], self.before[old], np.where(exists[old], UPDATE_BEFORE, DELETE)
        at = places[new] + gives_old[new]
        rows[at], positions[at], kinds[at] = self.rows[new], self.after[new], np.where(existed[new], UPDATE_AFTER, INSERT)
        return GivenChanges(rows, positions, kinds)
