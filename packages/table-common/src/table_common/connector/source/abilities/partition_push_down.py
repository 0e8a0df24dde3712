"""A source that knows its partitions and reads some of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

__all__ = ["PartitionValue", "SupportsPartitionPushDown"]

PartitionValue = str | bytes | None
"""The value of a partition key: its text, as CAST from STRING reads it; the bytes of a binary type; None for NULL."""


class SupportsPartitionPushDown(ABC):
    """Takes the partitions that a query can need; conditions on partition keys are evaluated while planning.

    A partition is a map from every key of PARTITIONED BY to its value.
    """

    @abstractmethod
    def list_partitions(self) -> Sequence[Mapping[str, PartitionValue]] | None:
        """Returns all partitions, or None if the source does not know them: then conditions stay filters."""

    @abstractmethod
    def apply_partitions(self, remaining_partitions: Sequence[Mapping[str, PartitionValue]]) -> None:
        """Tells the source to read these partitions only; none means that it produces no rows.

        The conditions are not applied again above the scan. Is called at most once, before ``apply_filters``.
        """
