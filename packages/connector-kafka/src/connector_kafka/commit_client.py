"""The connections of commits. They are kept from epoch to epoch, because an idempotent producer needs some time for its first message."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from connector_kafka.cluster import Cluster
from connector_kafka.delivery import TRANSACTIONAL
from connector_kafka.failures import ClientErrors, Deadline, calling, failure_of
from connector_kafka.partition_consumer import PartitionConsumer
from connector_kafka.planning import Planning
from connector_kafka.topics import Partition, listed_topics

# Without gaps: if a message cannot be written, none after it is, so the last number says how many there are.
_WITHOUT_GAPS = {"enable.idempotence": True, "enable.gapless.guarantee": True}
_PROPERTIES: Mapping[str, Mapping[str, object]] = {
    "exactly-once": _WITHOUT_GAPS,
    TRANSACTIONAL: _WITHOUT_GAPS,
    "at-least-once": {"acks": "all"},
    "none": {"acks": "1"},
}
_MOST_CONSUMERS = 16
_MOST_CLIENTS = 8
"""How many clients without a commit are kept, the last ones used."""
_TRANSACTION_TIMEOUT = 900_000
"""The milliseconds that a commit may take: the most that a broker allows by default."""
_ABORT_SECONDS = 5.0
_PURGED = (KafkaError._PURGE_QUEUE, KafkaError._PURGE_INFLIGHT)
"""Errors of messages that are not sent because others failed."""
_idle: dict[tuple[Any, ...], CommitClient] = {}
_lock = threading.Lock()


@contextmanager
def commit_client(cluster: Cluster, guarantee: str, transactional_id: str | None = None) -> Iterator[CommitClient]:
    """Yields a client, an idle one of this process if there is one. It is kept if the block does not fail."""
    key = (os.getpid(), guarantee, transactional_id, *sorted(cluster.properties.items()))
    with _lock:
        client = _idle.pop(key, None)
    client = client or CommitClient(cluster, guarantee, transactional_id)
    client.errors.last = None
    try:
        yield client
    except BaseException:
        client.close()
        raise
    with _lock:
        superfluous = [_idle.pop(key)] if key in _idle else []
        _idle[key] = client
        superfluous += [_idle.pop(each) for each in _own_keys()[:-_MOST_CLIENTS]]
    for other in superfluous:
        other.close()


def _own_keys() -> list[tuple[Any, ...]]:
    """Returns the keys of this process: a child of a fork also has the clients of its parent, which it must neither use nor delete."""
    return [key for key in _idle if key[0] == os.getpid()]


@atexit.register
def _close_idle() -> None:
    """Ends the threads of librdkafka before the interpreter ends, because they call into it."""
    with _lock:
        clients = [_idle.pop(key) for key in _own_keys()]
    for client in clients:
        client.close()


class CommitClient:
    """A producer, and consumers for the ends of partitions; used by one commit at a time."""

    def __init__(self, cluster: Cluster, guarantee: str, transactional_id: str | None = None) -> None:
        self._cluster = cluster
        self._guarantee = guarantee
        self._transactional_id = transactional_id
        # What an attempt of this commit has written is seen in any case, and not what it has taken back.
        isolation = "read_uncommitted" if transactional_id is None else "read_committed"
        self._tails = Cluster({**cluster.properties, "isolation.level": isolation})
        self._producer: Producer | None = None
        self._planning = Planning()
        self._consumers: dict[Partition, PartitionConsumer] = {}
        self._refused: KafkaError | None = None
        self._is_open = False
        self.errors = ClientErrors()

    def close(self) -> None:
        """Gives up what is not written, and closes the connections."""
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.purge()
            producer.poll(0)
            if self._is_open:
                with suppress(KafkaException):  # the next attempt ends it
                    producer.abort_transaction(_ABORT_SECONDS)
        with suppress(KafkaException):
            self._planning.close()
            for consumer in self._consumers.values():
                consumer.close()
        self._consumers.clear()

    def producer(self, topic: str) -> Producer:
        """Returns the producer, which is connected: an idempotent one waits for that.

        With transactions, those of earlier producers with the same identifier have ended then, and such a producer can write no more.
        """
        producer = self._producer
        if producer is None:
            timeout = self._cluster.properties.get("delivery.timeout.ms", str(int(self._cluster.timeout * 1000)))
            own: dict[str, Any] = {"delivery.report.only.error": True, "on_delivery": self._delivered, "delivery.timeout.ms": timeout}
            if self._transactional_id is not None:
                most = self._cluster.properties.get("transaction.timeout.ms", str(max(_TRANSACTION_TIMEOUT, int(timeout))))
                own |= {"transactional.id": self._transactional_id, "transaction.timeout.ms": most}
            producer = self._cluster.producer({**own, **_PROPERTIES[self._guarantee]}, self.errors)
            if self._transactional_id is not None:
                producer.init_transactions(self._cluster.timeout)
            self._producer = producer
        listed_topics(producer, self._cluster, self.errors, topic)
        return producer

    @contextmanager
    def transaction(self, what: str) -> Iterator[None]:
        """Commits what the block writes at its end, all at once; without transactions, does nothing. ``what`` begins the message of an error."""
        if self._transactional_id is None:
            yield
            return
        assert self._producer is not None
        self._producer.begin_transaction()
        self._is_open = True
        yield  # after an error, the client is closed, which takes back what was written
        deadline = Deadline(self._cluster.timeout)
        with calling(self._cluster, self.errors, what):
            while self._is_open:
                try:
                    self._producer.commit_transaction(deadline.left)
                    self._is_open = False
                except KafkaException as error:
                    if not error.args[0].retriable() or deadline.has_passed:
                        raise

    def tail(self, partitions: Mapping[Partition, int], least: int) -> Iterator[Any]:
        """Yields the messages of partitions from these offsets on, but at least the last ``least`` of each."""
        first = self._planning.first(list(partitions), self._cluster)
        ends = self._planning.find_ends(list(partitions), self._cluster)
        for partition, begin in partitions.items():
            end = ends[partition]
            start = max(first[partition], min(begin, end - least))
            if start >= end:
                continue
            consumer = self._consumers.pop(partition, None) or PartitionConsumer(self._tails, *partition, "earliest")
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
        if error is not None and (self._refused is None or self._refused.code() in _PURGED):
            self._refused = error
