"""A column as PostgreSQL's catalog describes it."""

from __future__ import annotations

from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PostgresColumn:
    """A column as PostgreSQL declares it; a domain counts as its base type."""

    name: str
    type_name: str
    """The internal name of the type, such as ``int4``; of an array, that of its elements."""
    kind: str
    """``b`` for a base type, ``e`` for an enum, as in ``pg_type.typtype``."""
    shown: str
    """The type as CREATE TABLE writes it."""
    modifier: int = -1
    not_null: bool = False
    is_array: bool = False
    comment: str | None = None
    is_generated: bool = False
    is_deterministic: bool = True
    """Whether the column's collation calls only equal texts equal; others ignore case or accents."""

    def __str__(self) -> str:
        return self.shown

    @property
    def digits(self) -> tuple[int, int] | None:
        """Precision and scale of a NUMERIC, None if it has none."""
        if self.modifier < 4:
            return None
        scale = (self.modifier - 4) & 0x7FF
        return ((self.modifier - 4) >> 16) & 0xFFFF, (scale ^ 1024) - 1024

    @property
    def length(self) -> int | None:
        """The length of a character type, None if it has none."""
        return self.modifier - 4 if self.modifier >= 4 else None
