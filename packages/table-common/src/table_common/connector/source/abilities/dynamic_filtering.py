"""A source that accepts runtime filters: it skips data by values that another part of the query computes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence


class SupportsDynamicFiltering(ABC):
    """Accepts the columns of a join with a small other side; rows without a match there need not be read.

    Skipping is optional: the join still filters the rows. The planner applies it in batch mode, if the engine can run the other side first
    (the embedded engine can) and ``table.optimizer.dynamic-filtering.enabled`` is not false. The values reach the source as
    ``DynamicFilteringData`` of ``ArrowScanProvider.filtered_splits``; the engine itself skips files of a ``FileScanProvider`` by partition
    keys. It is not applied on Spark, which prunes the partitions of files itself and plans the splits of other sources before a query runs.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsDynamicFiltering``.

    Example:
        >>> class Days(SupportsDynamicFiltering):
        ...     fields = ()
        ...     def list_accepted_filter_fields(self):
        ...         return ["day"]
        ...     def apply_dynamic_filtering(self, candidate_filter_fields):
        ...         self.fields = tuple(candidate_filter_fields)
        >>> source = Days()
        >>> source.apply_dynamic_filtering(source.list_accepted_filter_fields())
        >>> source.fields
        ('day',)
    """

    @abstractmethod
    def list_accepted_filter_fields(self) -> Sequence[str]:
        """Returns the physical columns by which the source can skip data, partition keys for instance."""

    @abstractmethod
    def apply_dynamic_filtering(self, candidate_filter_fields: Sequence[str]) -> None:
        """Tells the source by which fields it may skip rows at run time; called on a copy, possibly again with more fields."""
