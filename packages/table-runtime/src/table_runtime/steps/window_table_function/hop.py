"""HOP: windows of a fixed size that start at each slide, and so may overlap."""

from __future__ import annotations

from typing import ClassVar

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_runtime.steps.window_table_function.assignment import AlignedWindows, Integers


@dataclass(frozen=True)
class HopWindows(AlignedWindows):
    """All windows that contain the row's time, the latest first; lengths are in milliseconds."""

    slide: int
    size: int
    offset: int = 0

    latest_first: ClassVar[bool] = True

    @property
    @override
    def most(self) -> int:
        return -(-self.size // self.slide)

    @override
    def numbers(self, times: Integers) -> tuple[Integers, Integers]:
        passed = times - self.offset
        last = passed // self.slide
        return last - (self.most - 1) if self.size % self.slide == 0 else (passed - self.size) // self.slide + 1, last

    @override
    def bounds(self, numbers: Integers) -> tuple[Integers, Integers]:
        starts = numbers * self.slide + self.offset
        return starts, starts + self.size
