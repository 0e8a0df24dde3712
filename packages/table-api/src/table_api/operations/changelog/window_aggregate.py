"""Aggregates of time windows, which are emitted once, when their window is over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.query.aggregate import AggregateQueryOperation
from table_api.operations.windows import TumbleWindow, WindowAssigner, WindowEmission
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass, field
from table_common.types import LogicalType, TimestampType


@dataclass(frozen=True, slots=True)
class WindowAggregateQueryOperation(AggregateQueryOperation):
    """Groups by the start and the end of a time window, and possibly other columns.

    A group is emitted when the watermark reaches the last millisecond of its window; rows that come later are dropped. ``end`` is the position of
    the window's end in ``grouping``. ``time_type`` is the type of the time attribute: TIMESTAMP_LTZ windows are on local clocks. With ``emission`` results
    are emitted at other times, too, and are then updated.
    """

    window: WindowAssigner = field(default=TumbleWindow(1), kw_only=True)
    end: int = field(default=0, kw_only=True)
    time_type: LogicalType = field(default=TimestampType(3), kw_only=True)
    emission: WindowEmission | None = field(default=None, kw_only=True)

    @property
    @override
    def summary_name(self) -> str:
        return "WindowAggregate"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield from AggregateQueryOperation.summary_details(self)
        yield "window", [f"{self.window.FUNCTION}({self.window})"]
        if self.emission is not None:
            yield "emit", [str(self.emission)]
