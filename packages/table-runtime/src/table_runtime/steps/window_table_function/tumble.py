"""TUMBLE: windows of a fixed size that do not overlap."""

from __future__ import annotations

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_runtime.steps.window_table_function.assignment import AlignedWindows, Integers


@dataclass(frozen=True)
class TumbleWindows(AlignedWindows):
    """The one window of each row; lengths are in milliseconds."""

    size: int
    offset: int = 0

    @property
    @override
    def most(self) -> int:
        return 1

    @override
    def numbers(self, times: Integers) -> tuple[Integers, Integers]:
        numbers = (times - self.offset) // self.size
        return numbers, numbers

    @override
    def bounds(self, numbers: Integers) -> tuple[Integers, Integers]:
        starts = numbers * self.size + self.offset
        return starts, starts + self.size
