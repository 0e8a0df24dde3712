"""How long a join or an aggregate keeps untouched state, as the hint STATE_TTL says."""

from __future__ import annotations

from datetime import timedelta
from typing import final

from table_common.configuration import parse_duration
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.tree import Part


@final
@dataclass(frozen=True, slots=True)
class StateTtl(Part):
    """A duration as it is written in the hint, such as ``1 d``. It takes the place of ``table.exec.state.ttl``; ``0 s`` keeps state forever."""

    text: str

    def __post_init__(self) -> None:
        try:
            parse_duration(self.text)
        except ValueError as error:
            raise ValidationException(
                f"Invalid STATE_TTL hint value: '{self.text}' is not a duration: {error}.",
                hint="durations are written as '1 d', '90 min' or 'PT2H'; '0 s' keeps state forever",
            ) from None

    @property
    def milliseconds(self) -> int:
        """The duration in milliseconds; 0: forever."""
        return parse_duration(self.text) // timedelta(milliseconds=1)

    def __str__(self) -> str:
        return self.text
