"""``Misfit``: a value that is none of its type, on its way up through lists, maps and rows to whoever can say where it is."""

from __future__ import annotations

from table_common.types.logical import LogicalType

__all__ = ["Misfit"]


class Misfit(Exception):
    """Says what the value is, why it does not fit, and where it is below the value that was given."""

    def __init__(self, value: object, type_: LogicalType, reason: str) -> None:
        super().__init__(reason)
        self.value = value
        self.type = type_
        self.reason = reason
        self.path: list[str] = []
        """From the outside in, such as ``field 'a'``, ``element 2``."""

    def within(self, place: str) -> Misfit:
        """Adds where the value is, one level further out, and returns the misfit."""
        self.path.insert(0, place)
        return self

    def message(self) -> str:
        """Returns the sentence to show."""
        text = repr(self.value)
        shown = f"{text if len(text) <= 80 else text[:77] + '...'} (class {type(self.value).__name__})"
        where = f"In {', '.join(self.path)}: " if self.path else ""
        return f"{where}{shown} is no value of {self.type}: {self.reason}."
