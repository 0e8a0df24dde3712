"""A source that reads only the projected columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from table_common.types import RowType


class SupportsProjectionPushDown(ABC):
    """Accepts a projection to columns and, optionally, to fields of nested rows.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown``.

    Example:
        >>> class Columns(SupportsProjectionPushDown):
        ...     def apply_projection(self, projected_fields, produced_type):
        ...         self.positions = [path[0] for path in projected_fields]
        >>> source = Columns()
        >>> source.apply_projection([(2,), (0,)], None)
        >>> source.positions
        [2, 0]
    """

    @property
    def supports_nested_projection(self) -> bool:
        """Whether paths may have more than one step."""
        return False

    @abstractmethod
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        """Tells the source to produce rows of ``produced_type``.

        Each element of ``projected_fields`` is a path of positions into the physical row of the table, outermost first; without
        nesting every path has one step. Called at most once, after ``apply_filters`` and before ``apply_limit``.
        """
