"""NaN and infinities in sums: they are counted separately, because they cannot be subtracted."""

from __future__ import annotations

from typing import Any

import numpy as np

from table_runtime.streaming.changes.segments import Integers

_Doubles = np.ndarray[Any, np.dtype[np.float64]]


def kinds(values: _Doubles) -> tuple[Any, Any, Any]:
    """Returns which values are NaN, which are infinity, and which are minus infinity."""
    return np.isnan(values), values == np.inf, values == -np.inf


# Differs from Flink: retracting NaN or an infinity restores the sum of the other values; in Flink, the sum stays NaN.
class NotFinite:
    """The counts of NaN, infinity and minus infinity per slot."""

    def __init__(self, size: int) -> None:
        self.counts: Integers = np.zeros((3, size), np.int64)

    def totals(self, finite: _Doubles, counts: Integers) -> _Doubles:
        """Returns totals, from those of the finite values, and the counts of the others beside them."""
        nan, positive, negative = counts > 0
        totals = np.where(positive, np.inf, np.where(negative, -np.inf, finite))
        return np.where(nan | (positive & negative), np.nan, totals)
