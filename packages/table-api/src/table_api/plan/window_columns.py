"""The columns of a node that hold the start, the end and the time of a time window."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_api.operations import (
    WindowAssigner,
)
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import LogicalType


@dataclass(frozen=True, slots=True)
class WindowColumns:
    """Positions of columns; a column that is selected twice has several."""

    window: WindowAssigner
    time_type: LogicalType
    """The type of the time attribute by which the windows are assigned."""
    starts: frozenset[int]
    ends: frozenset[int]
    times: frozenset[int] = frozenset()
    """The columns with the last millisecond of the window, which are time attributes."""
    is_table_function: bool = True
    """Whether the window was written as a function in FROM, not in GROUP BY."""

    def end_among(self, columns: Sequence[int]) -> int | None:
        """Returns the position in ``columns`` of the window's end, if both its start and its end are there."""
        if self.starts.isdisjoint(columns):
            return None
        return next((position for position, column in enumerate(columns) if column in self.ends), None)

    def at(self, columns: Iterable[int | None]) -> WindowColumns | None:
        """Returns the window columns among columns that a node selects; None if the start or the end is not selected."""
        selected = list(columns)
        starts = frozenset(position for position, column in enumerate(selected) if column in self.starts)
        ends = frozenset(position for position, column in enumerate(selected) if column in self.ends)
        times = frozenset(position for position, column in enumerate(selected) if column in self.times)
        return replace(self, starts=starts, ends=ends, times=times) if starts and ends else None
