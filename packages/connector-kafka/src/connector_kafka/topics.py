"""The topics of a table and their partitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from confluent_kafka import Consumer, KafkaError

from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors, calling, failure_of
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass

__all__ = ["Partition", "Positions", "Topics", "each", "positions_of"]

Partition = tuple[str, int]
"""A topic and the number of a partition."""
Positions = Mapping[str, Mapping[str, int]]
"""Offsets by topic and partition, as JSON: the next offset to read in each partition."""


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics by name, or all whose whole name matches a regular expression."""

    names: tuple[str, ...] = ()
    pattern: str | None = None

    def __str__(self) -> str:
        return ", ".join(self.names) if self.pattern is None else f"topics like {self.pattern}"

    def partitions(self, consumer: Consumer, cluster: Cluster, errors: ClientErrors) -> list[Partition]:
        """Returns the partitions that the topics have now.

        Raises:
            ValidationException: a topic does not exist; the message has topics of similar names.
        """
        with calling(cluster, errors):
            if self.pattern is not None:
                found = consumer.list_topics(timeout=cluster.timeout).topics
                return [
                    (name, number)
                    for name in sorted(found)
                    if re.fullmatch(self.pattern, name)
                    for number in sorted(found[name].partitions)
                ]
            partitions = []
            for name in self.names:
                topic = consumer.list_topics(name, timeout=cluster.timeout).topics[name]
                if topic.error is not None and topic.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                    existing = sorted(consumer.list_topics(timeout=cluster.timeout).topics)
                    raise ValidationException.unknown("Topic", name, existing, where=f"Kafka at {cluster.servers}")
                if topic.error is not None:
                    raise failure_of(topic.error, cluster, errors, f"Topic '{name}'")
                partitions += [(name, number) for number in sorted(topic.partitions)]
            return partitions


def each(positions: Positions) -> Iterator[tuple[Partition, int]]:
    """Yields the partitions with their offsets."""
    for topic, offsets in positions.items():
        for number, offset in offsets.items():
            yield (topic, int(number)), offset


def positions_of(offsets: Mapping[Partition, int]) -> Positions:
    """Returns the offsets as JSON."""
    result: dict[str, dict[str, int]] = {}
    for (topic, number), offset in sorted(offsets.items()):
        result.setdefault(topic, {})[str(number)] = offset
    return result
