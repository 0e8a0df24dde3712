"""A sink that deletes by conditions, without any row being read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from table_common.expressions import ResolvedExpression

__all__ = ["SupportsDeletePushDown"]


class SupportsDeletePushDown(ABC):
    """Takes ``DELETE FROM t WHERE …`` whole, as a statement of the external system; tried before ``SupportsRowLevelDelete``."""

    @abstractmethod
    def apply_delete_filters(self, filters: Sequence[ResolvedExpression]) -> bool:
        """Returns whether the sink can delete exactly the rows for which all filters are true.

        Args:
            filters: conjuncts, without queries in them; references point into the physical row, by name and position. Empty means every row.
        """

    @abstractmethod
    def execute_deletion(self) -> int | None:
        """Deletes, in the process of the client; returns how many rows, or None if that is not known. May be called again after an error."""
