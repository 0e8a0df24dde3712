"""Where a scan begins and where it ends: ``scan.startup.mode`` and ``scan.bounded.mode``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, TopicPartition

from connector_kafka.cluster import GROUP, PREFIX, Cluster
from connector_kafka.failures import ClientErrors, Deadline, calling, failure_of
from connector_kafka.topics import Partition
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.frozen_dataclass import dataclass, field

EARLIEST, LATEST, GROUP_OFFSETS, TIMESTAMP, SPECIFIC = "earliest-offset", "latest-offset", "group-offsets", "timestamp", "specific-offsets"


@dataclass(frozen=True)
class Mode:
    """A position in each partition: ``earliest-offset``, ``latest-offset``, ``group-offsets``, ``timestamp`` or ``specific-offsets``."""

    kind: str
    timestamp: int = 0
    """Milliseconds since 1970."""
    offsets: Mapping[int, int] = field(default_factory=dict)


def parse_offsets(text: str, option: str, where: str) -> dict[int, int]:
    """Returns offsets by partition of a text such as ``partition:0,offset:42;partition:1,offset:300``.

    Raises:
        ValidationException: the text has another form.
    """
    offsets: dict[int, int] = {}
    for part in filter(None, text.split(";")):
        match = re.fullmatch(r"\s*partition:\s*(\d+)\s*,\s*offset:\s*(\d+)\s*", part)
        if match is None or int(match[1]) in offsets:
            break
        offsets[int(match[1])] = int(match[2])
    else:
        if offsets:
            return offsets
    raise ValidationException(
        f"The option '{option}' of {where} cannot be read: '{text}'.", hint="its form is 'partition:0,offset:42;partition:1,offset:300'"
    )


def offsets_of(
    mode: Mode, partitions: Sequence[Partition], consumer: Consumer, cluster: Cluster, errors: ClientErrors
) -> dict[Partition, int]:
    """Returns the offset of the mode in each partition.

    Raises:
        ValidationException: a partition of ``specific-offsets`` does not exist, or there is no group.
        TableRuntimeException: the group has no offset of a partition, and ``auto.offset.reset`` does not say where to begin.
    """
    with calling(cluster, errors):
        match mode.kind:
            case "earliest-offset":
                return first_offsets(partitions, consumer, cluster)
            case "latest-offset":
                return listed_ends(partitions, consumer, cluster)
            case "group-offsets":
                return _group_offsets(partitions, consumer, cluster)
            case "timestamp":
                return _offsets_at(mode.timestamp, partitions, consumer, cluster, errors)
            case _:
                return _specific(mode.offsets, partitions, consumer, cluster)


def first_offsets(partitions: Sequence[Partition], consumer: Consumer, cluster: Cluster) -> dict[Partition, int]:
    """Returns the first offset that each partition still has."""
    return _listed(partitions, OFFSET_BEGINNING, consumer, cluster)


def listed_ends(partitions: Sequence[Partition], consumer: Consumer, cluster: Cluster) -> dict[Partition, int]:
    """Returns the offset after the last message of each partition, as the broker lists it; some brokers list an earlier one."""
    return _listed(partitions, OFFSET_END, consumer, cluster)


def _listed(partitions: Sequence[Partition], what: int, consumer: Consumer, cluster: Cluster) -> dict[Partition, int]:
    if not partitions:
        return {}
    asked = [TopicPartition(topic, number, what) for topic, number in partitions]
    found = consumer.offsets_for_times(asked, timeout=cluster.timeout)
    for each in found:
        if each.error is not None:
            raise failure_of(each.error, cluster, None, f"Partition {each.partition} of the topic '{each.topic}'")
    return {(each.topic, each.partition): max(each.offset, 0) for each in found}


def _offsets_at(
    timestamp: int, partitions: Sequence[Partition], consumer: Consumer, cluster: Cluster, errors: ClientErrors
) -> dict[Partition, int]:
    """Returns the offset of the first message in each partition that is not older; the end if there is none.

    A broker may answer with an earlier offset; the messages from there on are looked at.
    """
    ends = listed_ends(partitions, consumer, cluster)
    asked = [TopicPartition(topic, number, timestamp) for topic, number in partitions]
    found = {}
    for each in consumer.offsets_for_times(asked, timeout=cluster.timeout) if asked else ():
        key = (each.topic, each.partition)
        is_known = each.error is None and each.offset >= 0
        found[key] = _not_before(timestamp, key, each.offset, consumer, cluster, errors) if is_known else ends[key]
    return found


def _not_before(timestamp: int, partition: Partition, start: int, consumer: Consumer, cluster: Cluster, errors: ClientErrors) -> int:
    consumer.assign([TopicPartition(*partition, start)])
    deadline = Deadline(cluster.timeout)
    try:
        while not deadline.has_passed:
            message: Any = consumer.poll(0.1)
            if message is None:
                continue
            if message.error() is not None or message.timestamp()[1] >= timestamp:
                return int(message.offset())
            deadline.extend()
    finally:
        consumer.unassign()
    raise failure_of(None, cluster, errors, f"Partition {partition[1]} of the topic '{partition[0]}'")


def _group_offsets(partitions: Sequence[Partition], consumer: Consumer, cluster: Cluster) -> dict[Partition, int]:
    if cluster.group is None:
        raise ValidationException(
            f"The mode 'group-offsets' needs the option '{PREFIX}{GROUP}'.",
            hint="set it, or 'scan.startup.mode' = 'earliest-offset', 'latest-offset', 'timestamp' or 'specific-offsets'",
        )
    committed = consumer.committed([TopicPartition(*partition) for partition in partitions], timeout=cluster.timeout)
    found = {(each.topic, each.partition): each.offset for each in committed if each.offset >= 0}
    lacking = [partition for partition in partitions if partition not in found]
    if not lacking:
        return found
    reset = cluster.properties.get("auto.offset.reset")
    if reset in ("earliest", "smallest", "beginning"):
        return found | first_offsets(lacking, consumer, cluster)
    if reset in ("latest", "largest", "end"):
        return found | listed_ends(lacking, consumer, cluster)
    raise TableRuntimeException(
        f"The group '{cluster.group}' has committed no offset of partition {lacking[0][1]} of the topic '{lacking[0][0]}'.",
        hint=f"'{PREFIX}auto.offset.reset' = 'earliest' or 'latest' says where to begin then; or set 'scan.startup.mode' = 'earliest-offset'",
    )


def _specific(offsets: Mapping[int, int], partitions: Sequence[Partition], consumer: Consumer, cluster: Cluster) -> dict[Partition, int]:
    numbers = {number: (topic, number) for topic, number in partitions}
    unknown = sorted(set(offsets) - set(numbers))
    if unknown:
        topic = partitions[0][0] if partitions else ""
        raise ValidationException(
            f"The topic '{topic}' has no partition {unknown[0]}, which 'specific-offsets' names.",
            hint=f"it has the partitions 0 to {len(partitions) - 1}",
        )
    # As in Flink, a partition that is not named begins at the offset of the group, else at the first one.
    lacking = [partition for number, partition in numbers.items() if number not in offsets]
    rest: dict[Any, int] = first_offsets(lacking, consumer, cluster)
    if cluster.group is not None and lacking:
        committed = consumer.committed([TopicPartition(*partition) for partition in lacking], timeout=cluster.timeout)
        rest |= {(each.topic, each.partition): each.offset for each in committed if each.offset >= 0}
    return {**{numbers[number]: offset for number, offset in offsets.items()}, **rest}
