"""Windows of rows that follow each other closely."""

from __future__ import annotations

from typing import ClassVar

from table_api.operations.windows.assigner import WindowAssigner
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SessionWindow(WindowAssigner):
    """A window holds rows of one partition between which no more than ``gap`` passes; it ends that long after its last row."""

    FUNCTION: ClassVar[str] = "SESSION"

    gap: int

    def __post_init__(self) -> None:
        self.require_positive(gap=self.gap)

    @property
    @override
    def is_aligned(self) -> bool:
        return False
