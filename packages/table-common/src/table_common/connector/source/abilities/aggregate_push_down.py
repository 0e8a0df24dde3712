"""A source that computes local aggregates, each task over its own rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from table_common.expressions import AggregateExpression
from table_common.types import RowType


class SupportsAggregatePushDown(ABC):
    """Accepts local aggregates. The planner merges the partial results of the tasks, so a group may occur in several rows.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsAggregatePushDown``.

    Example:
        >>> class Counting(SupportsAggregatePushDown):
        ...     def apply_aggregates(self, grouping_sets, aggregate_expressions, produced_type):
        ...         self.groups = list(grouping_sets[0])
        ...         return all(aggregate.function.name == "COUNT" for aggregate in aggregate_expressions)
        >>> Counting().apply_aggregates([[0]], [], None)
        True
    """

    @abstractmethod
    def apply_aggregates(
        self,
        grouping_sets: Sequence[Sequence[int]],
        aggregate_expressions: Sequence[AggregateExpression],
        produced_type: RowType,
    ) -> bool:
        """Asks the source to produce rows of ``produced_type``: the grouping columns, then one column for each aggregate.

        Args:
            grouping_sets: one set; positions of the grouping columns. Empty means one group over all rows.
            aggregate_expressions: COUNT, SUM, MIN and MAX without DISTINCT; AVG is pushed as a sum and a count.
            produced_type: the row type to produce. SUM, MIN and MAX over no values are NULL, COUNT is 0 and never NULL.

        Positions and references point into the row that the source produces so far: the projected row, or the
        physical row. Called at most once, after ``apply_filters`` and ``apply_projection``, and only if every filter above the scan
        was accepted and none remained; ``apply_limit`` is not called afterwards. Without grouping columns the source may produce no row for
        empty input.

        Returns:
            Whether the source computes all aggregates. If not, the planner discards this copy of the source.
        """
