"""Ranks in time windows, which are emitted once, when their window is over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.changelog.rank import RankQueryOperation
from table_api.operations.windows import TumbleWindow, WindowAssigner
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass, field
from table_common.types import LogicalType, TimestampType


@dataclass(frozen=True, slots=True)
class WindowRankQueryOperation(RankQueryOperation):
    """A rank whose partitions have the start and the end of a time window; insert-only.

    ``window_end`` is the position of the window's end in ``partition_by``; ``time_type`` is the type of the time attribute.
    With ``last_is_first``, of rows that are equal in the order the one that came last is the first.
    """

    window: WindowAssigner = field(default=TumbleWindow(1), kw_only=True)
    window_end: int = field(default=0, kw_only=True)
    time_type: LogicalType = field(default=TimestampType(3), kw_only=True)
    last_is_first: bool = field(default=False, kw_only=True)

    @property
    @override
    def summary_name(self) -> str:
        return "WindowRank"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "window", [f"{self.window.FUNCTION}({self.window})"]
        yield from RankQueryOperation.summary_details(self)
