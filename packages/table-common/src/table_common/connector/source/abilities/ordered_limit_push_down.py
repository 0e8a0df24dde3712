"""A source that returns only the first rows of an order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from table_common.frozen_dataclass import dataclass


class SupportsOrderedLimitPushDown(ABC):
    """Accepts ORDER BY with a limit. The source may produce more rows, in any order, since the planner also sorts and limits above the scan.

    Flink has no such ability.

    Example:
        >>> class Scores(SupportsOrderedLimitPushDown):
        ...     def apply_ordered_limit(self, orders, limit):
        ...         self.best = limit
        ...         return [order.position for order in orders] == [0]
        >>> Scores().apply_ordered_limit([SupportsOrderedLimitPushDown.FieldOrder(0, ascending=False, nulls_first=False)], 10)
        True
    """

    @dataclass(frozen=True, slots=True)
    class FieldOrder:
        """A sort key: the position of a column that the source produces."""

        position: int
        ascending: bool = True
        nulls_first: bool = True

    @abstractmethod
    def apply_ordered_limit(self, orders: Sequence[FieldOrder], limit: int) -> bool:
        """Returns whether the source accepts: then it produces at least the first ``limit`` rows of the order, counted after its accepted filters.

        The order is SQL's: texts by code points, NaN after all other numbers, NULL first or last as each key says. A source that sorts values of a
        column in another way must not accept; it then stays unchanged. Which of several equal rows it produces does not matter.
        """
