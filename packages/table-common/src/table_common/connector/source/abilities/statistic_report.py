"""A source that knows how much it holds."""

from __future__ import annotations

from abc import ABC, abstractmethod

from table_common.connector.source.statistics import TableStats

__all__ = ["SupportsStatisticReport"]


class SupportsStatisticReport(ABC):
    """Gives numbers by which plans are chosen; no result ever depends on them.

    The embedded engine orders joins by them, unless ``table.optimizer.source.report-statistics-enabled`` is false. Spark does not ask: it
    knows the sizes of files, and its Python data sources cannot tell theirs.
    """

    @abstractmethod
    def report_statistics(self) -> TableStats:
        """Returns what is cheap to know of the rows that the source produces with all that was applied to it.

        Is called while planning, after the push-downs, perhaps more than once. ``TableStats.UNKNOWN`` if there is nothing to tell; errors of
        reading are nothing to tell either, whoever reads the data reports them.
        """
