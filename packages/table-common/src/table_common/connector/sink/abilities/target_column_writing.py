"""A sink that writes some of its columns and leaves the others as they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence


class SupportsTargetColumnWriting(ABC):
    """Accepts the column list of ``INSERT INTO t (a, b)``: the batches contain NULL placeholders in the other columns.

    Source: Flink's ``org.apache.flink.table.connector.sink.abilities.SupportsTargetColumnWriting``.

    Example:
        >>> class Partial(SupportsTargetColumnWriting):
        ...     def apply_target_columns(self, columns):
        ...         self.positions = [path[0] for path in columns]
        ...         return True
        >>> Partial().apply_target_columns([(1,)])
        True
    """

    @abstractmethod
    def apply_target_columns(self, columns: Sequence[Sequence[int]]) -> bool:
        """Passes the column list of the statement; not called if there is none.

        Args:
            columns: paths of positions into the row that the sink consumes; of one step.

        Returns:
            Whether the sink makes use of it. Rows hold all columns either way.
        """
