"""Computes the changes that a batch emits from the rows before and after each change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from table_runtime.streaming.changes.batch import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, Kinds
from table_runtime.streaming.changes.equal_values import equal_values
from table_runtime.streaming.changes.segments import Integers


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
        # Each row of the input has two places: the position before its change, and the position after it.
        places = np.full((int(self.rows.max(initial=-1)) + 1, 2), -1, np.int64)
        places[self.rows, 0], places[self.rows, 1] = self.before, self.after
        exists = places >= 0
        is_given = exists.copy()
        if not repeats_unchanged:
            is_given[self.rows[self._unchanged(values)]] = False
        if not gives_before:
            is_given[:, 0] &= ~exists[:, 1]
        kinds = np.empty(places.shape, np.int8)
        kinds[:, 0] = DELETE + (UPDATE_BEFORE - DELETE) * exists[:, 1]
        kinds[:, 1] = INSERT + (UPDATE_AFTER - INSERT) * exists[:, 0]
        given = np.flatnonzero(is_given)
        return GivenChanges(given >> 1, places.ravel().take(given), kinds.ravel().take(given))

    def _unchanged(self, values: Sequence[pa.Array]) -> Integers:
        """Returns the updates that leave all values as they are. Each column is compared where those before it are equal."""
        same = np.flatnonzero((self.before >= 0) & (self.after >= 0))
        for column in values:
            if len(same):
                same = same[equal_values(column.take(pa.array(self.before[same])), column.take(pa.array(self.after[same])))]
        return same
