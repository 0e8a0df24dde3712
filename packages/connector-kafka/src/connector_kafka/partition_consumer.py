"""The messages of one partition, from offset to offset."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, TopicPartition

from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors, Deadline, calling, failure_of
from connector_kafka.offset_reset import reset_offset
from connector_kafka.splits import FROM_FIRST

_BATCH_BYTES = 4 << 20
_BATCH_MESSAGES = 500
"""Few, because Python's garbage collector runs whenever there are 700 new objects, and visits all that live: so these are gone before."""
_FIRST_BATCH = 100
"""The number of messages of the first batch, whose size is not known."""
_SAMPLE = 20
"""How many messages of a batch show its size."""
_POLL_SECONDS = 0.2
_FETCH_MILLISECONDS = 50
_UNUSED_SECONDS = 30.0
"""How long a connection stays open while another one fetches the messages: it has threads and buffers of its own."""


class PartitionConsumer:
    """A consumer that is assigned to one partition, and keeps what it fetched ahead."""

    def __init__(self, cluster: Cluster, topic: str, partition: int, on_out_of_range: str) -> None:
        self._cluster = cluster
        self._topic = topic
        self._partition = partition
        self._on_out_of_range = on_out_of_range
        self._errors = ClientErrors()
        self._opened: Consumer | None = None
        self._is_assigned = False
        self._unused_since = 0.0
        self._ahead: list[Any] = []
        self._row_bytes = 0.0
        self.position = -2
        """The offset after the last message that was returned; that of the next one if nothing is returned."""

    @property
    def place(self) -> str:
        """The partition, for messages."""
        return f"Topic '{self._topic}', partition {self._partition}"

    def close(self) -> None:
        """Closes the connection."""
        if self._opened is not None:
            self._opened.close()

    @property
    def _consumer(self) -> Consumer:
        if self._opened is None:
            self._opened = self._cluster.consumer({}, self._errors, fetch_wait=_FETCH_MILLISECONDS)
        return self._opened

    def pass_on(self, messages: list[Any], end: int) -> Iterator[list[Any]]:
        """Yields the messages of a range up to ``end`` that were fetched elsewhere, and fetches no more until the next call of ``batches``."""
        if self._is_assigned:
            self._is_assigned = False
            self._consumer.unassign()
            self._unused_since = time.monotonic()
        if self._opened is not None and time.monotonic() - self._unused_since > _UNUSED_SECONDS:
            self._opened.close()
            self._opened = None
        self._ahead = []
        self.position = end
        if messages:
            yield messages

    def batches(self, start: int, end: int) -> Iterator[list[Any]]:
        """Yields the messages from ``start`` to before ``end``, in small batches.

        Raises:
            TableRuntimeException: the messages are gone, or the broker is away for longer than the time limit.
        """
        if start != self.position or not self._is_assigned:
            self._seek(start)
        deadline = Deadline(self._cluster.timeout)
        while self.position < end:
            with calling(self._cluster, self._errors, f"Reading {self.place}"):
                messages = self._ahead or self._consumer.consume(self._count(end), _POLL_SECONDS)
            self._ahead = []
            is_answered = bool(messages)
            batch = self._taken(messages, end)
            if batch:
                yield batch
            del messages, batch  # so that they end before the next ones are there, if the caller does not keep them
            if is_answered:
                deadline.extend()
            elif deadline.has_passed or self._errors.is_refused:
                raise failure_of(None, self._cluster, self._errors, f"Reading {self.place} from offset {self.position}")

    def _seek(self, start: int) -> None:
        self._ahead = []
        self._errors.last = None
        self._consumer.assign([TopicPartition(self._topic, self._partition, OFFSET_BEGINNING if start == FROM_FIRST else start)])
        self._is_assigned = True
        self.position = start

    def _count(self, end: int) -> int:
        """Returns how many messages to ask for: not many, at most a few megabytes, and none after the end."""
        most = _FIRST_BATCH if not self._row_bytes else max(1, min(_BATCH_MESSAGES, int(_BATCH_BYTES / self._row_bytes)))
        return min(most, end - max(self.position, 0))

    def _taken(self, messages: list[Any], end: int) -> list[Any]:
        """Returns the messages before ``end``, keeps the others, and moves the position."""
        if not messages:
            return messages
        last = messages[-1]
        has_events = last.error() is not None or any(map(Message.error, messages))
        if not has_events and last.offset() < end:
            batch = messages
        else:
            batch = []
            for index, message in enumerate(messages):
                if message.error() is not None:
                    self._event(message)
                elif message.offset() >= end:
                    self._ahead = messages[index:]
                    self.position = end  # the offsets before it have no messages: they were compacted, or belong to transactions
                    break
                else:
                    batch.append(message)
                    self.position = message.offset() + 1
        if batch:
            self.position = max(self.position, batch[-1].offset() + 1)
            sample = batch[:: len(batch) // _SAMPLE + 1]
            self._row_bytes = max(1.0, sum(map(_size, sample)) / len(sample))
        return batch

    def _event(self, message: Any) -> None:
        error = message.error()
        if error.code() == KafkaError._PARTITION_EOF:
            self.position = max(self.position, message.offset())
        elif error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE):
            with calling(self._cluster, self._errors, f"Reading {self.place}"):
                first, last = self._consumer.get_watermark_offsets(
                    TopicPartition(self._topic, self._partition), timeout=self._cluster.timeout
                )
            self._seek(reset_offset(self._on_out_of_range, (self._topic, self._partition), self.position, first, last))
        else:
            raise failure_of(error, self._cluster, self._errors, f"Reading {self.place} at offset {self.position}")


def _size(message: Any) -> int:
    return len(message.value() or b"") + len(message.key() or b"")
