"""The topics of a table and their partitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer

from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors, Deadline, calling, failure_of
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass

Partition = tuple[str, int]
"""A topic and the number of a partition."""
Positions = Mapping[str, Mapping[str, int | str]]
"""Offsets by topic and partition, as JSON: the next offset to read in each partition; and the id of the topic, if it is known."""
_ID = "id"


_FIRST_SECONDS = 1.0
"""How long the first attempt to list topics may take."""
_PAUSE_SECONDS = 0.05


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
                found = listed_topics(consumer, cluster, errors)
                return [
                    (name, number)
                    for name in sorted(found)
                    if re.fullmatch(self.pattern, name)
                    for number in sorted(found[name].partitions)
                ]
            partitions = []
            for name in self.names:
                topic = listed_topics(consumer, cluster, errors, name)[name]
                if topic.error is not None and topic.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                    existing = sorted(listed_topics(consumer, cluster, errors))
                    raise ValidationException.unknown("Topic", name, existing, where=f"Kafka at {cluster.servers}")
                if topic.error is not None:
                    raise failure_of(topic.error, cluster, errors, f"Topic '{name}'")
                partitions += [(name, number) for number in sorted(topic.partitions)]
            return partitions


def listed_topics(client: Consumer | Producer, cluster: Cluster, errors: ClientErrors, name: str | None = None) -> Mapping[str, Any]:
    """Returns what the brokers know of a topic, or of all; ``client`` has no partitions assigned.

    The client tells why it has no connection, or that its login is refused, only when it is polled. So the time limit is divided: each
    attempt is twice as long as the one before, for brokers that need long for an answer.

    Raises:
        KafkaException: there is no answer in time, or the login is refused; ``errors`` has the reason.
    """
    errors.last = None
    deadline, seconds = Deadline(cluster.timeout), _FIRST_SECONDS
    while True:
        try:
            timeout = min(seconds, deadline.left)
            found: Any = client.list_topics(timeout=timeout) if name is None else client.list_topics(name, timeout=timeout)
        except KafkaException as error:
            client.poll(_PAUSE_SECONDS)
            if deadline.has_passed or errors.is_refused or error.args[0].code() not in (KafkaError._TIMED_OUT, KafkaError._TRANSPORT):
                raise
            seconds *= 2
        else:
            topics: Mapping[str, Any] = found.topics
            return topics


def each(positions: Positions) -> Iterator[tuple[Partition, int]]:
    """Yields the partitions with their offsets."""
    for topic, offsets in positions.items():
        for number, offset in offsets.items():
            if isinstance(offset, int):
                yield (topic, int(number)), offset


def ids_of(positions: Positions) -> dict[str, str]:
    """Returns the ids of the topics that the offsets belong to, as far as they are known."""
    return {topic: topic_id for topic, offsets in positions.items() if isinstance(topic_id := offsets.get(_ID), str)}


def positions_of(offsets: Mapping[Partition, int], ids: Mapping[str, str] | None = None) -> Positions:
    """Returns the offsets, and the ids of their topics, as JSON."""
    result: dict[str, dict[str, int | str]] = {}
    for (topic, number), offset in sorted(offsets.items()):
        result.setdefault(topic, {})[str(number)] = offset
    for topic, offsets_of_topic in result.items():
        if ids and topic in ids:
            offsets_of_topic[_ID] = ids[topic]
    return result
