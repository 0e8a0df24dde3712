"""Values that one side of a join found while the query runs, given to the scan of the other side before it reads."""

from __future__ import annotations

from typing import Any

from table_common.frozen_dataclass import dataclass

__all__ = ["DynamicFilteringData"]


@dataclass(frozen=True, slots=True)
class DynamicFilteringData:
    """Which values some fields of a scan may have; rows with others find no partner in the join above.

    A value is what Arrow's ``as_py`` gives: whole numbers, text, booleans, dates and decimals are what dynamic filters are made of. NULL is
    never among them, since it equals nothing.
    """

    field_names: tuple[str, ...]
    """The physical columns that are compared, in the order of the values in a row."""
    rows: frozenset[tuple[Any, ...]] | None
    """All combinations of values; None if there were too many to keep, and then nothing may be skipped."""

    @property
    def is_filtering(self) -> bool:
        """Whether the data excludes anything at all."""
        return self.rows is not None

    def contains(self, values: tuple[Any, ...]) -> bool:
        """Returns whether rows with these values of ``field_names`` may be needed."""
        return self.rows is None or values in self.rows
