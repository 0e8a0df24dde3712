"""CUMULATE: windows that grow by a step until they reach their full size."""

from __future__ import annotations

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_runtime.steps.window_table_function.assignment import AlignedWindows, Integers


@dataclass(frozen=True)
class CumulateWindows(AlignedWindows):
    """Windows from the last multiple of ``size`` to each ``step`` after the row's time, shortest first; lengths are in milliseconds.

    ``size`` is a multiple of ``step``.
    """

    step: int
    size: int
    offset: int = 0

    @property
    @override
    def most(self) -> int:
        return self.size // self.step

    @override
    def numbers(self, times: Integers) -> tuple[Integers, Integers]:
        first = (times - self.offset) // self.step
        return first, (first // self.most + 1) * self.most - 1

    @override
    def bounds(self, numbers: Integers) -> tuple[Integers, Integers]:
        starts = numbers // self.most * self.size + self.offset
        return starts, (numbers + 1) * self.step + self.offset
