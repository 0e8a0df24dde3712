"""Runtime filters: the values of one side of a join, computed at run time, by which the scan of the other side skips rows."""

from __future__ import annotations

from typing import Any

from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DynamicFilteringData:
    """The values of some fields that have a match in the join; rows with other values can be skipped.

    A value is the result of Arrow's ``as_py``: dynamic filters have integers, text, booleans, dates and decimals. NULL never occurs, since it
    equals nothing.

    Source: Flink's ``org.apache.flink.table.connector.source.DynamicFilteringData``.

    Example:
        >>> days = DynamicFilteringData(("day",), frozenset({("2026-01-01",)}))
        >>> days.is_filtering, days.contains(("2026-01-01",)), days.contains(("2026-01-02",))
        (True, True, False)
    """

    field_names: tuple[str, ...]
    """The physical columns that are compared, in the order of the values in a row."""
    rows: frozenset[tuple[Any, ...]] | None
    """All combinations of values; None if there were too many, and then nothing may be skipped."""

    @property
    def is_filtering(self) -> bool:
        """Whether the filter can exclude rows."""
        return self.rows is not None

    def contains(self, values: tuple[Any, ...]) -> bool:
        """Returns whether rows with these values of ``field_names`` may have a match."""
        return self.rows is None or values in self.rows
