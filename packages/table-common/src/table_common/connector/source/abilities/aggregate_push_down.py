"""A source that groups and aggregates itself, each of its tasks over its own rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from table_common.expressions import AggregateExpression
from table_common.types import RowType

__all__ = ["SupportsAggregatePushDown"]


class SupportsAggregatePushDown(ABC):
    """Takes local aggregates; the planner merges what the tasks of the source give, so several rows of one group are right."""

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
            aggregate_expressions: COUNT, SUM, MIN and MAX without DISTINCT; AVG is asked for as a sum and a count.
            produced_type: what is to be produced. SUM, MIN and MAX of no values are NULL, COUNT is 0 and never NULL.

        Positions and references point into the row that the source produces at this time: what ``apply_projection`` was given, or the
        physical row. Is called at most once, after ``apply_filters`` and ``apply_projection``, and only if every filter above the scan
        was accepted and none remained; ``apply_limit`` is not called any more. A source without grouping columns may give no row for no
        input.

        Returns:
            Whether the source does it: all of it, or nothing. If not, its copy is thrown away.
        """
