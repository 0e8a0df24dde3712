"""Windows of one length that begin at shorter distances, so that they overlap."""

from __future__ import annotations

from typing import ClassVar

from table_api.operations.windows.assigner import WindowAssigner
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class HopWindow(WindowAssigner):
    """Each row is in every window of length ``size`` that holds its time; one begins at each multiple of ``slide``.

    A size that is no multiple of the slide puts some rows into one window more than others; a slide longer than the size leaves gaps.
    """

    FUNCTION: ClassVar[str] = "HOP"
    TELLS_APART: ClassVar[int | None] = 0

    slide: int
    size: int
    offset: int = 0

    def __post_init__(self) -> None:
        self.require_positive(slide=self.slide, size=self.size)
        self.require_few_windows(self.slide, self.size)

    @property
    @override
    def is_even(self) -> bool:
        return self.size % self.slide == 0
