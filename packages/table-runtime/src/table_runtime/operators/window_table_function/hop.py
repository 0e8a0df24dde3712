"""HOP: windows of a fixed size that start at each slide, and so may overlap."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass
from table_runtime.operators.window_table_function.assignment import Assignment, floor_to, milliseconds, repeated

__all__ = ["HopWindows"]


@dataclass(frozen=True)
class HopWindows:
    """All windows that contain the row's time, the latest first; lengths are in milliseconds."""

    slide: int
    size: int
    offset: int = 0

    @property
    def most(self) -> int:
        return -(-self.size // self.slide)

    def assign(self, times: pa.Array) -> Assignment:
        latest = floor_to(times, self.slide, self.offset)
        # A window that starts k slides before the latest one contains the time if k * slide < size - (time - latest).
        room = pc.add(pc.subtract(latest, times), milliseconds(self.size + self.slide - 1))
        counts = pc.divide(pc.max_element_wise(room, milliseconds(0)), milliseconds(self.slide))
        rows, back = repeated(counts)
        starts = pc.subtract(pc.take(latest, rows), pc.multiply(back, milliseconds(self.slide)))
        return Assignment(rows, starts, pc.add(starts, milliseconds(self.size)))
