"""A source that skips data by values that another part of the query finds while it runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

__all__ = ["SupportsDynamicFiltering"]


class SupportsDynamicFiltering(ABC):
    """Takes the columns of a join whose other side is small: what does not occur there need not be read.

    Skipping is never relied upon: the join still decides, so a source that is never asked is right. The planner asks in batch mode, if the
    engine can make a scan wait for the other side (the embedded engine can) and ``table.optimizer.dynamic-filtering.enabled`` is not false.
    What was found then comes as ``DynamicFilteringData`` to ``ArrowScanProvider.filtered_splits``; files of a ``FileScanProvider`` are
    skipped by the engine, by partition keys. Spark is never asked to wait: it prunes the partitions of files itself, and plans the splits of
    other sources before anything runs.
    """

    @abstractmethod
    def list_accepted_filter_fields(self) -> Sequence[str]:
        """Returns the physical columns by which the source can skip data, partition keys for instance."""

    @abstractmethod
    def apply_dynamic_filtering(self, candidate_filter_fields: Sequence[str]) -> None:
        """Tells the source by which of its fields rows may be skipped while it runs; called on a copy, again with more fields if need be."""
