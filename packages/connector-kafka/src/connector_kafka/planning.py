"""What a driver asks of topics: partitions, the ends of the data, whether there are new messages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from confluent_kafka import Consumer, KafkaError, TopicPartition

from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors, Deadline, calling, failure_of
from connector_kafka.modes import Mode, first_offsets, listed_ends, offsets_of
from connector_kafka.splits import PartitionSplit
from connector_kafka.tail_consumer import TailConsumer
from connector_kafka.topic_ids import TopicIds
from connector_kafka.topics import Partition, Topics

_T = TypeVar("_T")
_TAIL_FETCHES = {"fetch.min.bytes": 1, "max.partition.fetch.bytes": 65_536, "queued.max.messages.kbytes": 1024}
_SHORT_FETCHES = {**_TAIL_FETCHES, "fetch.wait.max.ms": 10}
_TAIL_FETCH_MILLISECONDS = 20
"""How long a fetch waits for messages. Kafka's broker answers as soon as one comes; others answer at the end of the wait only, which then decides how old rows are."""
_CHASE_SECONDS = 0.2
"""How long the end of a partition is followed that grows while it is looked up."""
_SHORT_CHASE_SECONDS = 0.02
"""For how many seconds an unbounded scan follows the growing end of a partition; it looks again soon."""
_ENDS_SECONDS = 10.0
"""How long the ends of partitions count while others have messages left, and how long a scan without messages waits before it asks for the ends.

Much less than splits take to become idle. A broker that is gone sends no messages, as one without new ones: only a question tells."""
_LISTED_SECONDS = 0.1
"""How long messages that the broker lists may take to come."""
_SAMPLE = 20
"""The number of messages whose average size is measured."""


class Planning:
    """The connections of a driver's process, opened at the first question; pickled copies are closed."""

    def __init__(self) -> None:
        self._consumers: dict[str, Consumer] = {}
        self._errors = ClientErrors()
        self._partitions: list[Partition] = []
        self._looked_up: float | None = None
        self._tail: TailConsumer | None = None
        self._ids = TopicIds()
        self._row_bytes: float | None = None
        self.ends: dict[Partition, int] = {}
        """The ends of the partitions when they were looked up."""
        self.read_to_end: set[Partition] = set()
        """The partitions whose ends are exact: they were read to their end when they were looked up last."""
        self._ends_found: float | None = None
        self._ends_fetched: float | None = None
        self.bounds: dict[Partition, int] | None = None
        """The offsets at which a bounded scan ends."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Planning, ()

    def close(self) -> None:
        """Closes the connections."""
        consumers, self._consumers = self._consumers, {}
        tail, self._tail = self._tail, None
        self._looked_up, self.ends, self.bounds = None, {}, None
        self._ends_found = self._ends_fetched = None
        self._ids.close()
        for consumer in consumers.values():
            consumer.close()
        if tail is not None:
            tail.close()

    def partitions(self, topics: Topics, cluster: Cluster, interval: float) -> Sequence[Partition]:
        """Returns the partitions, looked up again after ``interval`` seconds (0: never)."""
        if self.is_lookup_due(interval):
            self._partitions = topics.partitions(self._consumer(cluster, "plan"), cluster, self._errors)
            self._looked_up = time.monotonic()
        return self._partitions

    def ids(self, topics: Iterable[str], cluster: Cluster) -> Mapping[str, str]:
        """Returns the ids of topics, as far as the brokers tell them; asked again once in a while."""
        return self._ids.of(topics, self._consumer(cluster, "plan"), cluster)

    def forget_topics(self) -> None:
        """Forgets what is known of the topics: some of them were created again."""
        if self._tail is not None:
            self._tail.drop()
        self._ids.forget()
        self._looked_up, self._row_bytes, self.ends = None, None, {}
        self._ends_found = self._ends_fetched = None

    def is_lookup_due(self, interval: float) -> bool:
        """Whether the partitions are unknown or were looked up too long ago."""
        return self._looked_up is None or (interval > 0 and time.monotonic() - self._looked_up >= interval)

    def offsets(self, mode: Mode, partitions: Sequence[Partition], cluster: Cluster) -> dict[Partition, int]:
        """Returns the offset of the mode in each partition."""
        if mode.kind == "latest-offset":
            return self.find_ends(partitions, cluster)
        return offsets_of(mode, partitions, self._consumer(cluster, "plan"), cluster, self._errors)

    def first(self, partitions: Sequence[Partition], cluster: Cluster) -> dict[Partition, int]:
        """Returns the first offset that each partition still has."""
        return self._asked(cluster, lambda consumer: first_offsets(partitions, consumer, cluster))

    def find_ends(
        self, partitions: Sequence[Partition], cluster: Cluster, begins: Mapping[Partition, int] | None = None
    ) -> dict[Partition, int]:
        """Returns the offsets after the last messages; with ``begins`` some of them may be earlier, if one of them is behind its beginning.

        Brokers may list an earlier offset than the end, but tell the end in the answer to a fetch. So each partition is read from there on to its
        end, or for a short time if messages keep coming. With ``begins`` that is done only if there seems to be nothing new, and once in a while.
        """
        ends = self._asked(cluster, lambda consumer: listed_ends(partitions, consumer, cluster))
        self.read_to_end = set()
        if begins is not None and not self._is_old(self._ends_fetched) and any(end > begins[partition] for partition, end in ends.items()):
            self.ends, self._ends_found = ends, time.monotonic()
            return dict(ends)
        chase = _CHASE_SECONDS if begins is None else _SHORT_CHASE_SECONDS
        consumer = self._consumer(cluster, "plan")
        waiting = set(ends)
        growing: dict[Partition, Deadline] = {}
        deadline = Deadline(cluster.timeout)
        with calling(cluster, self._errors):
            consumer.assign([TopicPartition(*partition, offset) for partition, offset in ends.items()])
            while waiting:
                message: Any = consumer.poll(min(0.1, deadline.left))
                if message is None:
                    if deadline.has_passed or self._errors.is_refused:
                        raise failure_of(None, cluster, self._errors)
                    continue
                partition = (message.topic(), message.partition())
                error = message.error()
                if error is None:
                    ends[partition] = max(ends[partition], message.offset() + 1)
                    if not growing.setdefault(partition, Deadline(chase)).has_passed:
                        continue
                elif error.code() == KafkaError._PARTITION_EOF:
                    ends[partition] = max(ends[partition], message.offset())
                    self.read_to_end.add(partition)
                elif error.code() != KafkaError._AUTO_OFFSET_RESET:
                    raise failure_of(error, cluster, self._errors)
                waiting.discard(partition)
            consumer.unassign()
        self.ends = ends
        self._ends_found = self._ends_fetched = time.monotonic()
        return dict(ends)

    @property
    def are_ends_old(self) -> bool:
        """Whether the ends were looked up so long ago that a partition that had no messages then may have some now."""
        return self._is_old(self._ends_found)

    @property
    def is_question_due(self) -> bool:
        """Whether a scan that waits is to ask for the ends again."""
        return self._ends_found is not None and self.are_ends_old

    @staticmethod
    def _is_old(found: float | None) -> bool:
        return found is None or time.monotonic() - found >= _ENDS_SECONDS

    def wait(self, start: Mapping[Partition, int], seconds: float, cluster: Cluster) -> bool:
        """Waits for a message after these offsets; returns whether one came."""
        with calling(cluster, self._errors):
            return self._tail_of(cluster).wait(start, seconds)

    def fetch(self, begins: Mapping[Partition, int], cluster: Cluster) -> None:
        """Fetches the messages after these offsets up to the ends that were found, and follows the ends from then on."""
        with calling(cluster, self._errors):
            tail = self._tail_of(cluster)
            tail.follow(begins)
            if not tail.reaches(self.ends, _LISTED_SECONDS):
                tail.drop()

    def _tail_of(self, cluster: Cluster) -> TailConsumer:
        if self._tail is None:
            self._tail = TailConsumer(cluster.consumer(_TAIL_FETCHES, self._errors, fetch_wait=_TAIL_FETCH_MILLISECONDS))
        return self._tail

    def follow_ends(self, begins: Mapping[Partition, int], cluster: Cluster) -> bool:
        """Whether the messages after these offsets were waited for; their ends are then those of the messages that have come.

        Once in a while the broker is asked whether there are others, which do not come: their partitions are not at their ends. If it lists an
        end before an offset, the ends are to be looked up.
        """
        if self._tail is None:
            return False
        with calling(cluster, self._errors):
            ends = self._tail.ends(begins)
            if ends is None:
                return False
            if self.are_ends_old:
                listed = listed_ends(list(begins), self._consumer(cluster, "plan"), cluster)
                is_behind = any(listed[partition] < begin for partition, begin in begins.items())  # or the topic is another one now
                if is_behind or not self._tail.reaches(listed, _LISTED_SECONDS):
                    self._tail.drop()
                    return False
                self._ends_found = time.monotonic()
                ends = self._tail.ends(begins) or ends
        self.ends = dict(ends)
        return True

    def take(self, split: PartitionSplit) -> list[Any] | None:
        """Returns the messages of a range, if they came while ``wait`` waited for them; None if the partition is to be read."""
        return None if self._tail is None else self._tail.take((split.topic, split.partition), split.start, split.end)

    def row_bytes(self, start: Mapping[Partition, int], cluster: Cluster) -> float:
        """Returns the average size of some messages after these offsets, in bytes."""
        if self._row_bytes is None:
            consumer = self._consumer(cluster, "plan")
            sizes: list[int] = []
            with calling(cluster, self._errors):
                consumer.assign([TopicPartition(*partition, offset) for partition, offset in start.items()])
                messages = consumer.consume(_SAMPLE + len(start), 0.2)
                consumer.unassign()
            sizes = [len(message.value() or b"") + len(message.key() or b"") for message in messages if message.error() is None]
            if not sizes:
                return 1.0
            self._row_bytes = max(1.0, sum(sizes) / len(sizes))
        return self._row_bytes

    def commit(self, offsets: Mapping[Partition, int], cluster: Cluster) -> None:
        """Commits the offsets of the group."""
        committed = [TopicPartition(*partition, offset) for partition, offset in offsets.items()]
        if committed:
            with calling(cluster, self._errors, f"The offsets of the group '{cluster.group}' cannot be committed"):
                for each in self._consumer(cluster, "plan").commit(offsets=committed, asynchronous=False):
                    if each.error is not None:
                        raise failure_of(
                            each.error, cluster, self._errors, f"The offsets of the group '{cluster.group}' cannot be committed"
                        )

    def _asked(self, cluster: Cluster, question: Callable[[Consumer], _T]) -> _T:
        with calling(cluster, self._errors):
            return question(self._consumer(cluster, "plan"))

    def _consumer(self, cluster: Cluster, use: str) -> Consumer:
        if use not in self._consumers:
            self._consumers[use] = cluster.consumer(_SHORT_FETCHES, self._errors)
        return self._consumers[use]
