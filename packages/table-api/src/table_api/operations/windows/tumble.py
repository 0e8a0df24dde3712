"""Windows of one length, one after the other."""

from __future__ import annotations

from typing import ClassVar

from table_api.operations.windows.assigner import WindowAssigner, length_text
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TumbleWindow(WindowAssigner):
    """Each row is in the one window of length ``size`` that holds its time."""

    FUNCTION: ClassVar[str] = "TUMBLE"

    size: int
    offset: int = 0

    def __post_init__(self) -> None:
        self.require_positive(size=self.size)
        if abs(self.offset) >= self.size:
            raise ValidationException(
                f"The offset of TUMBLE must be shorter than the size, but is {length_text(self.offset)}, the size {length_text(self.size)}."
            )
