"""CUMULATE: windows that grow by a step until they reach their full size."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass
from table_runtime.operators.window_table_function.assignment import Assignment, floor_to, milliseconds, repeated

__all__ = ["CumulateWindows"]


@dataclass(frozen=True)
class CumulateWindows:
    """Windows from the last multiple of ``size`` to each ``step`` after the row's time, shortest first; lengths are in milliseconds.

    ``size`` is a multiple of ``step``.
    """

    step: int
    size: int
    offset: int = 0

    @property
    def most(self) -> int:
        return self.size // self.step

    def assign(self, times: pa.Array) -> Assignment:
        starts = floor_to(times, self.size, self.offset)
        passed = pc.divide(pc.subtract(times, starts), milliseconds(self.step))
        rows, grown = repeated(pc.subtract(milliseconds(self.most), passed))
        starts = pc.take(starts, rows)
        steps = pc.add(pc.add(pc.take(passed, rows), grown), milliseconds(1))
        return Assignment(rows, starts, pc.add(starts, pc.multiply(steps, milliseconds(self.step))))
