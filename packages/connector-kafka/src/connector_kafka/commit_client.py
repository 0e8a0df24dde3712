"""The connections of commits. They are kept from epoch to epoch, because an idempotent producer needs some time for its first message."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors, Deadline, failure_of
from connector_kafka.partition_consumer import PartitionConsumer
from connector_kafka.planning import Planning
from connector_kafka.topics import Partition

__all__ = ["CommitClient", "commit_client"]

_PROPERTIES: Mapping[str, Mapping[str, object]] = {
    # Without gaps: if a message cannot be written, none behind it is, so the last number says how many there are.
    "exactly-once": {"enable.idempotence": True, "enable.gapless.guarantee": True},
    "at-least-once": {"acks": "all"},
    "none": {"acks": "1"},
}
_MOST_CONSUMERS = 16
_idle: dict[tuple[Any, ...], CommitClient] = {}
_lock = threading.Lock()


@contextmanager
def commit_client(cluster: Cluster, guarantee: str) -> Iterator[CommitClient]:
    """Yields a client, an idle one of this process if there is one. It is kept if the block does not fail."""
    key = (os.getpid(), guarantee, *sorted(cluster.properties.items()))
    with _lock:
        client = _idle.pop(key, None)
    client = client or CommitClient(cluster, guarantee)
    client.errors.last = None
    try:
        yield client
    except BaseException:
        client.close()
        raise
    with _lock:
        replaced = _idle.pop(key, None)
        _idle[key] = client
    if replaced is not None:
        replaced.close()


class CommitClient:
    """A producer, and consumers for the ends of partitions; used by one commit at a time."""

    def __init__(self, cluster: Cluster, guarantee: str) -> None:
        self._cluster = cluster
        self._guarantee = guarantee
        self._producer: Producer | None = None
        self._planning = Planning()
        self._consumers: dict[Partition, PartitionConsumer] = {}
        self._refused: KafkaError | None = None
        self.errors = ClientErrors()

    def close(self) -> None:
        """Gives up what is not written, and closes the connections."""
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.purge()
            producer.poll(0)
        with suppress(KafkaException):
            self._planning.close()
            for consumer in self._consumers.values():
                consumer.close()
        self._consumers.clear()

    def producer(self, topic: str) -> Producer:
        """Returns the producer, which is connected: an idempotent one waits for that."""
        if self._producer is None:
            timeout = self._cluster.properties.get("delivery.timeout.ms", str(int(self._cluster.timeout * 1000)))
            own = {"delivery.report.only.error": True, "on_delivery": self._delivered, "delivery.timeout.ms": timeout}
            self._producer = self._cluster.producer({**own, **_PROPERTIES[self._guarantee]}, self.errors)
        self._producer.list_topics(topic, timeout=self._cluster.timeout)
        return self._producer

    def tail(self, partitions: Mapping[Partition, int], least: int) -> Iterator[Any]:
        """Yields the messages of partitions from these offsets on, but at least so many at the end of each."""
        first = self._planning.first(list(partitions), self._cluster)
        ends = self._planning.find_ends(list(partitions), self._cluster)
        for partition, begin in partitions.items():
            end = ends[partition]
            start = max(first[partition], min(begin, end - least))
            if start >= end:
                continue
            consumer = self._consumers.pop(partition, None) or PartitionConsumer(self._cluster, *partition, "earliest")
            self._consumers[partition] = consumer
            for batch in consumer.batches(start, end):
                yield from batch
            while len(self._consumers) > _MOST_CONSUMERS:
                self._consumers.pop(next(iter(self._consumers))).close()

    def flush(self, what: str) -> None:
        """Waits until the broker has all messages; ``what`` begins the message of an error."""
        assert self._producer is not None
        deadline, outstanding = Deadline(self._cluster.timeout + 5), len(self._producer)
        while left := self._producer.flush(0.2):
            self.check(what)
            if left < outstanding:
                deadline.extend()
                outstanding = left
            elif deadline.has_passed:
                raise failure_of(None, self._cluster, self.errors, what)
        self.check(what)

    def check(self, what: str) -> None:
        """Raises the error of a message that the broker refused or did not get in time."""
        if self._refused is not None:
            is_late = self._refused.code() == KafkaError._MSG_TIMED_OUT and self.errors.last is not None
            raise failure_of(None if is_late else self._refused, self._cluster, self.errors, what)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None and self._refused is None:
            self._refused = error
