"""Windows that grow by a step until they reach their full length."""

from __future__ import annotations

from typing import ClassVar

from table_api.operations.windows.assigner import WindowAssigner, length_text
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CumulateWindow(WindowAssigner):
    """Each row is in the windows that begin at the multiple of ``size`` before its time and end at a ``step`` after it, up to ``size``."""

    FUNCTION: ClassVar[str] = "CUMULATE"
    TELLS_APART: ClassVar[int | None] = 1

    step: int
    size: int
    offset: int = 0

    def __post_init__(self) -> None:
        self.require_positive(step=self.step, size=self.size)
        if self.size % self.step:
            raise ValidationException(
                f"The size of CUMULATE must be a multiple of the step, but is {length_text(self.size)}, the step {length_text(self.step)}."
            )
        self.require_few_windows(self.step, self.size)
