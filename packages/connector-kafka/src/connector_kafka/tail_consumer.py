"""The newest messages of all partitions: one consumer waits for them and keeps what comes until it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaError, TopicPartition

from connector_kafka.failures import Deadline
from connector_kafka.topics import Partition
from table_common.frozen_dataclass import dataclass, field

_MOST_MESSAGES = 10_000
_MOST_BYTES = 4 << 20
"""How much is kept. A scan that is so far behind reads its partitions with a consumer for each, and decodes on several threads."""
_STEP = 500


@dataclass(slots=True)
class _Kept:
    """All messages of a partition from ``start`` to before ``end``."""

    start: int
    end: int
    messages: list[Any] = field(default_factory=list)


class TailConsumer:
    """A consumer that follows the ends of partitions; ``wait`` begins it, ``drop`` or too many messages stop it.

    Without it a scan that has caught up would learn from one consumer that there is a message, ask for the ends, and fetch the messages again.
    """

    def __init__(self, consumer: Consumer) -> None:
        self._consumer = consumer
        self._kept: dict[Partition, _Kept] = {}
        self._bytes = 0
        self._count = 0
        self._is_assigned = False

    def follow(self, begins: Mapping[Partition, int]) -> None:
        """Fetches the messages after the offsets ``begins`` and all that come, unless it does so already."""
        if not self._is_assigned or not self._follows(begins):
            self.drop()
            self._consumer.assign([TopicPartition(*partition, offset) for partition, offset in begins.items()])
            self._kept = {partition: _Kept(offset, offset) for partition, offset in begins.items()}
            self._is_assigned = True

    def wait(self, begins: Mapping[Partition, int], seconds: float) -> bool:
        """Follows the partitions from ``begins`` on, and waits for messages; returns whether there may be some."""
        self.follow(begins)
        deadline = Deadline(seconds)
        while not self._has_news:
            if not self._keep(self._consumer.poll(deadline.left)):
                return True
            if deadline.has_passed and not self._has_news:
                return False
        self._take_what_is_there()
        return True

    def ends(self, begins: Mapping[Partition, int]) -> Mapping[Partition, int] | None:
        """Returns the offsets after the messages that have come; None if the consumer does not follow these partitions from ``begins`` on, or has stopped."""
        if not self._kept:
            return None
        if not self._follows(begins):
            self.drop()
            return None
        if self._is_assigned:
            self._take_what_is_there()
        elif not self._has_news:
            return None
        return {partition: kept.end for partition, kept in self._kept.items()}

    def reaches(self, ends: Mapping[Partition, int], seconds: float) -> bool:
        """Waits until the messages before ``ends`` have come; returns whether they have."""
        deadline = Deadline(seconds)
        while any(kept.end < ends.get(partition, 0) for partition, kept in self._kept.items()):
            if not self._is_assigned or deadline.has_passed or not self._keep(self._consumer.poll(deadline.left)):
                return False
        return True

    def take(self, partition: Partition, start: int, end: int) -> list[Any] | None:
        """Removes the messages of a range, and returns them; None if they are not, or not all, kept."""
        kept = self._kept.get(partition)
        if kept is None or kept.start != start or kept.end < end:
            return None
        taken, left = kept.messages, []
        if taken and taken[-1].offset() >= end:
            index = next(index for index, message in enumerate(taken) if message.offset() >= end)
            taken, left = taken[:index], taken[index:]
        self._kept[partition] = _Kept(end, kept.end, left)
        self._count -= len(taken)
        self._bytes -= sum(map(_size, taken))
        return taken

    def drop(self) -> None:
        """Forgets what was kept, and stops fetching."""
        self._stop()
        self._kept = {}
        self._bytes = self._count = 0

    def close(self) -> None:
        """Closes the connection."""
        self._kept = {}
        self._consumer.close()

    def _stop(self) -> None:
        if self._is_assigned:
            self._is_assigned = False
            self._consumer.unassign()

    def _follows(self, begins: Mapping[Partition, int]) -> bool:
        return {partition: kept.start for partition, kept in self._kept.items()} == begins

    @property
    def _has_news(self) -> bool:
        return any(kept.end > kept.start for kept in self._kept.values())

    def _take_what_is_there(self) -> None:
        """Keeps the messages that were fetched."""
        while self._is_assigned:
            messages = self._consumer.consume(_STEP, 0)
            if not messages or not all(map(self._keep, messages)):
                break

    def _keep(self, message: Any) -> bool:
        """Keeps a message; returns False if the consumer was stopped, by an error that the reader of the partition explains, or because it keeps too much."""
        if message is None:
            return True
        kept = self._kept.get((message.topic(), message.partition()))
        error = message.error()
        if error is None:
            if kept is not None:
                kept.messages.append(message)
                kept.end = message.offset() + 1
                self._count += 1
                self._bytes += _size(message)
        elif error.code() == KafkaError._PARTITION_EOF:
            if kept is not None:  # there may be offsets without messages before the end
                kept.end = max(kept.end, message.offset())
        elif error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE):
            self.drop()
            return False
        if self._count >= _MOST_MESSAGES or self._bytes >= _MOST_BYTES:
            self._stop()
            return False
        return True


def _size(message: Any) -> int:
    return len(message.value() or b"") + len(message.key() or b"")
