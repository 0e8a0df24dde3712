"""The base class of window assigners: an SQL function with lengths of time as arguments."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.tree import Part

MAX_WINDOWS = 1_000_000
"""How many windows one row may be in."""

_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1))


@dataclass(frozen=True, slots=True)
class WindowAssigner(Part):
    """Assigns rows to windows by their time; its fields are lengths in milliseconds, in the order of the function's arguments.

    Windows begin at multiples of a length since 1970-01-01 00:00, also before it, moved by ``offset`` if the kind has one. A window holds
    its start and not its end.
    """

    FUNCTION: ClassVar[str] = ""
    """The name in SQL."""
    TELLS_APART: ClassVar[int | None] = None
    """Which column tells apart the windows that hold one row: 0 their start, 1 their end; None: a row is in one window."""

    @classmethod
    def parameters(cls) -> tuple[tuple[str, bool], ...]:
        """Returns the names of the lengths as named arguments have them, and whether each must be given."""
        return tuple((field.name.upper(), field.default is dataclasses.MISSING) for field in dataclasses.fields(cls))

    @property
    def is_aligned(self) -> bool:
        """Whether the windows of a row depend on nothing but its own time."""
        return True

    @property
    def is_even(self) -> bool:
        """Whether each row is in as many windows as any other."""
        return True

    def __str__(self) -> str:
        lengths = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return ", ".join(f"{name}=[{length_text(length)}]" for name, length in lengths if name != "offset" or length)

    def require_positive(self, **lengths: int) -> None:
        """Checks that lengths are positive.

        Raises:
            ValidationException: one of them is not positive.
        """
        for name, length in lengths.items():
            if length <= 0:
                raise ValidationException(f"The {name} of {self.FUNCTION} must be longer than 0, but is {length_text(length)}.")

    def require_few_windows(self, distance: int, size: int) -> None:
        """Checks how many windows of a size, with a distance between them, a row is in.

        Raises:
            ValidationException: they are more than ``MAX_WINDOWS``.
        """
        count = -(-size // distance)
        # Differs from Flink: HOP and CUMULATE windows are refused if each row would be in too many of them. Flink has no limit, and
        # computes for hours.
        if count > MAX_WINDOWS:
            raise ValidationException(
                f"Each row would be in {count:,} windows of {self.FUNCTION}, but there may be {MAX_WINDOWS:,}: "
                f"{length_text(size)} is {count:,} times {length_text(distance)}, rounded up.",
                hint="use a shorter size, or a longer slide or step",
            )


def length_text(milliseconds: int) -> str:
    """Returns a length in the largest unit of which it is a multiple, such as ``10 min``."""
    name, unit = next((name, unit) for name, unit in _UNITS if milliseconds % unit == 0)
    return f"{milliseconds // unit} {name}" if milliseconds else "0 ms"
