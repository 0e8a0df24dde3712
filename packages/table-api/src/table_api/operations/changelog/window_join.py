"""Joins of rows of the same time window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.query.join import JoinQueryOperation
from table_api.operations.windows import TumbleWindow, WindowAssigner
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass, field
from table_common.types import LogicalType, TimestampType


@dataclass(frozen=True, slots=True)
class WindowJoinQueryOperation(JoinQueryOperation):
    """A join whose condition has equal starts and equal ends of a time window of both inputs; insert-only.

    ``ends`` are the positions of the window's end in the left and in the right input; ``time_type`` is the type of the time attribute.
    """

    window: WindowAssigner = field(default=TumbleWindow(1), kw_only=True)
    ends: tuple[int, int] = field(default=(0, 0), kw_only=True)
    time_type: LogicalType = field(default=TimestampType(3), kw_only=True)

    @property
    @override
    def summary_name(self) -> str:
        return "WindowJoin"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "window", [f"{self.window.FUNCTION}({self.window})"]
        yield from JoinQueryOperation.summary_details(self)
