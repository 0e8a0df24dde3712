"""A source that lists its partitions and reads only some of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

PartitionValue = str | bytes | None
"""The value of a partition key: its text, as CAST from STRING reads it; the bytes of a binary type; None for NULL."""


class SupportsPartitionPushDown(ABC):
    """Accepts the partitions that a query needs; predicates on partition keys are evaluated while planning.

    A partition is a map from every key of PARTITIONED BY to its value.

    Source: Flink's ``org.apache.flink.table.connector.source.abilities.SupportsPartitionPushDown``.

    Example:
        >>> class Days(SupportsPartitionPushDown):
        ...     def list_partitions(self):
        ...         return [{"day": "2026-01-01"}, {"day": "2026-01-02"}]
        ...     def apply_partitions(self, remaining_partitions):
        ...         self.days = [partition["day"] for partition in remaining_partitions]
        >>> source = Days()
        >>> source.apply_partitions(source.list_partitions()[1:])
        >>> source.days
        ['2026-01-02']
    """

    @abstractmethod
    def list_partitions(self) -> Sequence[Mapping[str, PartitionValue]] | None:
        """Returns all partitions, or None if the source cannot list them: the predicates then remain filters."""

    @abstractmethod
    def apply_partitions(self, remaining_partitions: Sequence[Mapping[str, PartitionValue]]) -> None:
        """Tells the source to read only these partitions; an empty list means no rows.

        The predicates are not applied again above the scan. Called at most once, before ``apply_filters``.
        """
