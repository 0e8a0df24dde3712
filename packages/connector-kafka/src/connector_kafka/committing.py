"""Produces the messages of an epoch, behind those that an earlier attempt has produced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import repeat
from pathlib import Path
from typing import Any

import pyarrow as pa
from confluent_kafka import KafkaError, KafkaException, Message, Producer

from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors, Deadline, calling, failure_of
from connector_kafka.partition_consumer import PartitionConsumer
from connector_kafka.planning import Planning
from connector_kafka.sequences import HEADER, header_values, sequence_of
from connector_kafka.staging import StagedMessages, StagingFolder, staged_batches
from connector_kafka.topics import Partition
from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.connector import CommitContext, CommitMessage, SinkCommitter
from table_common.exceptions import TableRuntimeException

__all__ = ["KafkaCommitter"]

_TAIL = 200
"""The number of messages at the end of a partition that are looked at in any case."""
_PROPERTIES: Mapping[str, Mapping[str, object]] = {
    # Without gaps: if a message cannot be written, none behind it is, so the last number says how many there are.
    "exactly-once": {"enable.idempotence": True, "enable.gapless.guarantee": True},
    "at-least-once": {"acks": "all"},
    "none": {"acks": "1"},
}


class KafkaCommitter(SinkCommitter):
    """Produces messages, in the order of the tasks and of their rows."""

    def __init__(self, cluster: Cluster, topic: str, guarantee: str, folder: StagingFolder, context: CommitContext) -> None:
        self._cluster = cluster
        self._topic = topic
        self._guarantee = guarantee
        self._folder = folder
        self._context = context
        self._errors = ClientErrors()
        self._refused: KafkaError | None = None

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        staged = [message for message in messages if isinstance(message, StagedMessages) and message.path is not None]
        totals: dict[int, int] = {}
        for each in staged:
            for partition, count in each.counts.items():
                totals[partition] = totals.get(partition, 0) + count
        written = self._written(staged, totals) if self._guarantee == "exactly-once" and totals else {}
        if any(written.get(partition, 0) < count for partition, count in totals.items()):
            self._require_files(staged)
            self._produce(staged, written)
        for each in staged:
            with suppress(OSError):
                Path(str(each.path)).unlink(missing_ok=True)
        self._folder.remove(self._context)

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        for message in messages:
            if isinstance(message, StagedMessages) and message.path is not None:
                with suppress(OSError):
                    Path(message.path).unlink(missing_ok=True)
        self._folder.remove(self._context)

    def _require_files(self, staged: Sequence[StagedMessages]) -> None:
        for each in staged:
            if not Path(str(each.path)).exists():
                raise TableRuntimeException(
                    f"The rows of the epoch {self._context.epoch} for the topic '{self._topic}' cannot be written: the file '{each.path}' is not on this machine.",
                    hint="if tasks run on several machines, or folders of temporary files are emptied, set 'sink.staging-directory' to a lasting folder "
                    "that all of them share",
                )

    def _written(self, staged: Sequence[StagedMessages], totals: Mapping[int, int]) -> dict[int, int]:
        """Returns how many messages of this epoch each partition has."""
        written: dict[int, int] = {}
        job = self._context.job_id.encode()
        for message in self._tail(staged, totals):
            found = sequence_of(message)
            if found is None or found.job != job:
                continue
            if found.epoch > self._context.epoch:
                return dict(totals)  # epochs are committed in order, so this one is complete
            if found.epoch == self._context.epoch:
                partition = message.partition()
                written[partition] = max(written.get(partition, 0), found.number + 1)
        return written

    def _tail(self, staged: Sequence[StagedMessages], totals: Mapping[int, int]) -> Iterator[Any]:
        """Yields the messages that may be of this epoch: those behind the ends that the writers saw, and some before."""
        begins: dict[int, int] = {}
        for each in staged:
            for number, end in each.ends.items():
                begins[number] = min(begins.get(number, end), end)
        partitions: list[Partition] = [(self._topic, number) for number in totals]
        planning = Planning()
        try:
            first, ends = planning.first(partitions, self._cluster), planning.find_ends(partitions, self._cluster)
        finally:
            planning.close()
        for partition in partitions:
            number = partition[1]
            end = ends[partition]
            start = max(first[partition], min(begins.get(number, end), end - _TAIL))
            if start >= end:
                continue
            consumer = PartitionConsumer(self._cluster, self._topic, number, "earliest")
            try:
                for batch in consumer.batches(start, end):
                    yield from batch
            finally:
                consumer.close()

    def _produce(self, staged: Sequence[StagedMessages], written: Mapping[int, int]) -> None:
        what = f"Writing the topic '{self._topic}'"
        numbers: dict[int, int] = {}
        with calling(self._cluster, self._errors, what):
            timeout = self._cluster.properties.get("delivery.timeout.ms", str(int(self._cluster.timeout * 1000)))
            own = {"delivery.report.only.error": True, "on_delivery": self._delivered, "delivery.timeout.ms": timeout}
            producer = self._cluster.producer({**own, **_PROPERTIES[self._guarantee]}, self._errors)
            try:
                producer.list_topics(self._topic, timeout=self._cluster.timeout)  # connects, which idempotence waits for
                for each in staged:
                    for batch in staged_batches(each):
                        self._send(producer, batch, numbers, written)
                        self._check()
                self._flush(producer, what)
            except BaseException:
                producer.purge()
                raise

    def _send(self, producer: Producer, batch: pa.RecordBatch, numbers: dict[int, int], written: Mapping[int, int]) -> None:
        partitions = batch.column("partition")
        for partition in partitions.unique().to_pylist():
            rows = batch.filter(pc.equal(partitions, partition))
            start = numbers.get(partition, 0)
            numbers[partition] = start + rows.num_rows
            done = max(0, written.get(partition, 0) - start)
            if done < rows.num_rows:
                self._send_rows(producer, rows.slice(done), partition, start + done)
        producer.poll(0)

    def _send_rows(self, producer: Producer, rows: pa.RecordBatch, partition: int, start: int) -> None:
        topic, produce, context = self._topic, producer.produce, self._context
        commits: Iterable[bytes | None] = repeat(None)
        if self._guarantee == "exactly-once":
            commits = header_values(context.job_id, context.epoch, start, rows.num_rows)
        keys, times = _values(rows.column("key")), _values(rows.column("timestamp"), 0)
        all_headers = _values(rows.column("headers"))
        for key, value, timestamp, headers, commit in zip(keys, rows.column("value").to_pylist(), times, all_headers, commits):  # noqa: B905  # some are endless
            sent: Any = {HEADER: commit} if commit is not None else None
            if headers:
                sent = [*headers, *(sent or {}).items()]
            while True:
                try:
                    produce(
                        topic, value, key, partition, None, None, timestamp or 0, sent
                    )  # by position: half the time of a call with names
                    break
                except BufferError:
                    producer.poll(0.1)
                    self._check()

    def _flush(self, producer: Producer, what: str) -> None:
        """Waits until the broker has all messages."""
        deadline, outstanding = Deadline(self._cluster.timeout + 5), len(producer)
        while left := producer.flush(0.2):
            self._check()
            if left < outstanding:
                deadline.extend()
                outstanding = left
            elif deadline.has_passed:
                raise failure_of(None, self._cluster, self._errors, what)
        self._check()

    def _check(self) -> None:
        if self._refused is not None:
            if self._refused.code() == KafkaError._MSG_TIMED_OUT and self._errors.last is not None:
                raise failure_of(None, self._cluster, self._errors, f"Writing the topic '{self._topic}'")
            raise KafkaException(self._refused)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None and (self._refused is None or self._refused.code() == KafkaError._PURGE_QUEUE):
            self._refused = error


def _values(column: pa.Array, default: object = None) -> Iterable[Any]:
    """Returns the values of a column; one value without end if all are NULL."""
    return repeat(default) if column.null_count == len(column) else column.to_pylist()
