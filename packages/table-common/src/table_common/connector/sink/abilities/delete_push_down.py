"""A sink that deletes by predicates, without a scan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from table_common.expressions import ResolvedExpression


class SupportsDeletePushDown(ABC):
    """Executes ``DELETE FROM t WHERE …`` in the external system; the planner tries it before ``SupportsRowLevelDelete``.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsDeletePushDown``.

    Example:
        >>> class Emptied(SupportsDeletePushDown):
        ...     def apply_delete_filters(self, filters):
        ...         return not filters  # this system can only delete all rows
        ...     def execute_deletion(self):
        ...         return None  # it does not count them
        >>> Emptied().apply_delete_filters([])
        True
    """

    @abstractmethod
    def apply_delete_filters(self, filters: Sequence[ResolvedExpression]) -> bool:
        """Returns whether the sink can delete exactly the rows for which all filters are true.

        Args:
            filters: conjuncts without subqueries; references point into the physical row, by name and position. Empty means every row.
        """

    @abstractmethod
    def execute_deletion(self) -> int | None:
        """Deletes the rows, in the process of the client; returns their number, or None if it is unknown. May be called again after an error."""
