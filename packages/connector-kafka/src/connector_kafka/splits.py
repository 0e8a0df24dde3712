"""The splits of a scan."""

from __future__ import annotations

from connector_kafka.topics import Partition
from table_common.frozen_dataclass import dataclass

FROM_FIRST = -1
"""The start of a range that begins with the first message that a partition has."""


@dataclass(frozen=True, slots=True)
class PartitionSplit:
    """The messages of a partition from ``start`` (included) to ``end`` (excluded)."""

    topic: str
    partition: int
    start: int
    end: int

    @property
    def split_id(self) -> str:
        """The topic and the partition: ``orders-0``."""
        return split_id((self.topic, self.partition))


def split_id(partition: Partition) -> str:
    """Returns the lasting name of a partition as a split."""
    topic, number = partition
    return f"{topic}-{number}"
