"""``ValueMismatch``: the error for a value that is not of its type, which collects the position in lists, maps and rows while it propagates."""

from __future__ import annotations

from table_common.types.logical import LogicalType


class ValueMismatch(Exception):
    """A value that does not fit its type: the value, the reason, and its position inside the converted value."""

    def __init__(self, value: object, type_: LogicalType, reason: str) -> None:
        super().__init__(reason)
        self.value = value
        self.type = type_
        self.reason = reason
        self.path: list[str] = []
        """From the outside in, such as ``field 'a'``, ``element 2``."""

    def within(self, place: str) -> ValueMismatch:
        """Adds the position in the enclosing value, and returns the mismatch."""
        self.path.insert(0, place)
        return self

    def message(self) -> str:
        """Returns the sentence to show."""
        text = repr(self.value)
        shown = f"{text if len(text) <= 80 else text[:77] + '...'} (class {type(self.value).__name__})"
        where = f"In {', '.join(self.path)}: " if self.path else ""
        return f"{where}{shown} is not a value of {self.type}: {self.reason}."
