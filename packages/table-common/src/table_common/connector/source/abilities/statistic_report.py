"""A source that reports statistics."""

from __future__ import annotations

from abc import ABC, abstractmethod

from table_common.connector.source.statistics import TableStats


class SupportsStatisticReport(ABC):
    """Reports statistics for cost estimates; results do not depend on them.

    The embedded engine orders joins by them, unless ``table.optimizer.source.report-statistics-enabled`` is false. It is not used on Spark, which
    knows the sizes of files and takes no statistics from Python data sources.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsStatisticReport``.

    Example:
        >>> from table_common.connector.source import TableStats
        >>> class Counted(SupportsStatisticReport):
        ...     def report_statistics(self):
        ...         return TableStats(1_000)
        >>> Counted().report_statistics().row_count
        1000
    """

    @abstractmethod
    def report_statistics(self) -> TableStats:
        """Returns the statistics, as far as they are cheap to get, of the rows that the source produces with all applied abilities.

        Is called while planning, after the push-downs, perhaps more than once. ``TableStats.UNKNOWN`` if there is nothing to tell; errors of
        reading are nothing to tell either, whoever reads the data reports them.
        """
