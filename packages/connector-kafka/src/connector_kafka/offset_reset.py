"""What happens if the messages at an offset are gone: ``scan.on-offset-out-of-range``."""

from __future__ import annotations

from collections.abc import Mapping

from connector_kafka.topics import Partition
from table_common.exceptions import TableRuntimeException


def reset_offset(policy: str, partition: Partition, offset: int, first: int, end: int) -> int:
    """Returns the offset at which reading continues.

    Raises:
        TableRuntimeException: the policy is ``fail``.
    """
    if policy == "earliest":
        return first
    if policy == "latest":
        return end
    topic, number = partition
    has = f"has the offsets {first} to {end - 1}" if first < end else f"has no messages; the next one gets the offset {end}"
    raise TableRuntimeException(
        f"Topic '{topic}', partition {number} {has}, so it cannot be read from offset {offset}.",
        hint="the messages were deleted (retention.ms, retention.bytes), or the topic was created again; "
        "'scan.on-offset-out-of-range' = 'earliest' or 'latest' continues there",
    )


def resolve_new_topic(policy: str, topic: str, first: Mapping[Partition, int], ends: Mapping[Partition, int]) -> Mapping[Partition, int]:
    """Returns the offsets at which reading continues in a topic that was deleted and created again.

    Raises:
        TableRuntimeException: the policy is ``fail``.
    """
    if policy == "earliest":
        return first
    if policy == "latest":
        return ends
    raise TableRuntimeException(
        f"Topic '{topic}' was deleted and created again since its messages were read, so the saved offsets are not those of its messages.",
        hint="'scan.on-offset-out-of-range' = 'earliest' or 'latest' continues with the new topic; what was computed from the old one stays",
    )
