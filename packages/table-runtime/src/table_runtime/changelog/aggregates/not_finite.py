"""NaN and infinities in sums: they are counted apart, because they cannot be subtracted."""

from __future__ import annotations

from typing import Any

import numpy as np

from table_runtime.changelog.segments import Integers

__all__ = ["NotFinite", "kinds"]

_Doubles = np.ndarray[Any, np.dtype[np.float64]]


def kinds(values: _Doubles) -> tuple[Any, Any, Any]:
    """Returns which values are NaN, which are infinity, and which are minus infinity."""
    return np.isnan(values), values == np.inf, values == -np.inf


# Differs from Flink: a NaN or an infinity that is retracted is no longer in the sum; in Flink, the sum of its group stays NaN.
class NotFinite:
    """By slot, how many values are NaN, infinity and minus infinity."""

    def __init__(self, size: int) -> None:
        self.counts: Integers = np.zeros((3, size), np.int64)

    def totals(self, finite: _Doubles, counts: Integers) -> _Doubles:
        """Returns totals, from those of the finite values, and the counts of the others beside them."""
        nan, positive, negative = counts > 0
        totals = np.where(positive, np.inf, np.where(negative, -np.inf, finite))
        return np.where(nan | (positive & negative), np.nan, totals)
