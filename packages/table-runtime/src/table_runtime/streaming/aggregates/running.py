"""Running totals of the rows of a batch within segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from table_runtime.streaming.changes.segments import Segments

_Values = np.ndarray[Any, Any]

_SHORT = 64
"""Segments of at most this many rows are summed in rounds, one row of each segment per round."""


def running_totals(values: _Values, initial: _Values, segments: Segments) -> _Values:
    """Returns the total after each row, from the ``initial`` total of each segment.

    Floating-point numbers are added row by row within each segment: rounding, NaN and infinity of one
    segment do not affect another, and the result does not depend on where the input is cut into batches.
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
