"""Running totals of the rows of a batch within segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from table_runtime.changelog.segments import Segments

__all__ = ["running_totals"]

_Values = np.ndarray[Any, Any]

_SHORT = 64
"""Segments of at most so many rows are summed in rounds over all segments at once."""


def running_totals(values: _Values, initial: _Values, segments: Segments) -> _Values:
    """Returns the total after each row, from the ``initial`` total of each segment.

    Totals of floating-point numbers are formed in the order of the rows of each segment alone: rounding, NaN and infinity of one
    segment do not reach another, and the result does not depend on where batches are cut.
    """
    if not len(values):
        return values
    if values.dtype.kind != "f":
        totals = np.cumsum(values)
        base = initial - (totals[segments.starts] - values[segments.starts])
        return np.asarray(totals + np.repeat(base, segments.sizes))
    result = np.empty_like(values)
    current = initial.copy()
    active = np.flatnonzero(segments.sizes <= _SHORT)
    number = 0
    while len(active):
        at = segments.starts[active] + number
        current[active] += values[at]
        result[at] = current[active]
        number += 1
        active = active[segments.sizes[active] > number]
    for segment in np.flatnonzero(segments.sizes > _SHORT):
        start, end = segments.starts[segment], segments.ends[segment]
        result[start:end] = np.add.accumulate(np.concatenate(([initial[segment]], values[start:end])))[1:]
    return result
