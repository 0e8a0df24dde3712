"""TUMBLE: windows of a fixed size that do not overlap."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass
from table_runtime.operators.window_table_function.assignment import Assignment, floor_to, milliseconds

__all__ = ["TumbleWindows"]


@dataclass(frozen=True)
class TumbleWindows:
    """The one window of each row; lengths are in milliseconds."""

    size: int
    offset: int = 0

    @property
    def most(self) -> int:
        return 1

    def assign(self, times: pa.Array) -> Assignment:
        starts = floor_to(times, self.size, self.offset)
        return Assignment(None, starts, pc.add(starts, milliseconds(self.size)))
