"""Produces the messages of an epoch, after those that an earlier attempt has produced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import repeat
from pathlib import Path
from typing import Any

import pyarrow as pa
from confluent_kafka import Producer

from connector_kafka.cluster import Cluster
from connector_kafka.commit_client import CommitClient, commit_client
from connector_kafka.delivery import Guarantee
from connector_kafka.failures import calling
from connector_kafka.sequences import HEADER, HeaderValues, sequence_of
from connector_kafka.staging import StagedMessages, StagingFolder, staged_batches
from connector_kafka.topics import Partition
from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.connector import CommitContext, CommitMessage, SinkCommitter
from table_common.exceptions import TableRuntimeException

_STEP = 2_000
"""The number of messages after which the reports of written ones are taken: their memory is then used again while it is in the processor's cache."""
_TAIL = 200
"""The number of messages at the end of a partition that are looked at in any case."""


class KafkaCommitter(SinkCommitter):
    """Produces messages, in the order of the tasks and of their rows."""

    def __init__(self, cluster: Cluster, topic: str, guarantee: Guarantee, folder: StagingFolder, context: CommitContext) -> None:
        self._cluster = cluster
        self._topic = topic
        self._guarantee = guarantee
        self._transactional_id = guarantee.transactional_id(topic, context.job_id)
        self._folder = folder
        self._context = context
        self._header_values = HeaderValues(context.job_id, context.epoch)
        self._what = f"Writing the topic '{topic}'"

    @override
    def commit(self, messages: Sequence[CommitMessage]) -> None:
        staged = self._staged(messages)
        totals: dict[int, int] = {}
        for each in staged:
            for partition, count in each.counts.items():
                totals[partition] = totals.get(partition, 0) + count
        if totals:
            guarantee = self._guarantee
            with (
                commit_client(self._cluster, guarantee.name, self._transactional_id) as client,
                calling(self._cluster, client.errors, self._what),
            ):
                if self._transactional_id is not None:
                    # Ends the transaction of an earlier attempt before the ends of the partitions are read.
                    client.producer(self._topic)
                written = self._written(client, staged, totals) if guarantee.is_exactly_once else {}
                if any(written.get(partition, 0) < count for partition, count in totals.items()):
                    self._require_files(staged)
                    self._produce(client, staged, written)
        for each in staged:
            with suppress(OSError):
                Path(str(each.path)).unlink(missing_ok=True)
        self._folder.remove(self._context)

    @override
    def abort(self, messages: Sequence[CommitMessage]) -> None:
        for message in self._staged(messages):
            with suppress(OSError):
                Path(str(message.path)).unlink(missing_ok=True)
        self._folder.remove(self._context)

    def _staged(self, messages: Sequence[CommitMessage]) -> list[StagedMessages]:
        """Returns the messages of tasks with rows.

        Raises:
            TableRuntimeException: one names a file that no writer of this commit has made: the file is removed after the commit.
        """
        staged = [message for message in messages if isinstance(message, StagedMessages) and message.path is not None]
        for message in staged:
            if not self._folder.is_of(str(message.path), self._context):
                raise TableRuntimeException(
                    f"A commit message names '{message.path}', which is not a file of rows of the epoch {self._context.epoch} for the topic '{self._topic}'."
                )
        return staged

    def _require_files(self, staged: Sequence[StagedMessages]) -> None:
        for each in staged:
            if not Path(str(each.path)).exists():
                raise TableRuntimeException(
                    f"The rows of the epoch {self._context.epoch} for the topic '{self._topic}' cannot be written: the file '{each.path}' is not on this machine.",
                    hint="if tasks run on several machines, or folders of temporary files are emptied, set 'sink.staging-directory' to a lasting folder "
                    "that all of them share",
                )

    def _written(self, client: CommitClient, staged: Sequence[StagedMessages], totals: Mapping[int, int]) -> dict[int, int]:
        """Returns how many messages of this epoch each partition has: after the ends that the writers saw, or shortly before."""
        begins: dict[Partition, int] = {}
        for each in staged:
            for number, end in each.ends.items():
                partition = (self._topic, number)
                begins[partition] = min(begins.get(partition, end), end)
        written: dict[int, int] = {}
        job = self._context.job_id.encode()
        for message in client.tail(begins, _TAIL):
            found = sequence_of(message)
            if found is None or found.job != job:
                continue
            if found.epoch > self._context.epoch:
                return dict(totals)  # epochs are committed in order, so this one is complete
            if found.epoch == self._context.epoch:
                number = message.partition()
                written[number] = max(written.get(number, 0), found.number + 1)
        return written

    def _produce(self, client: CommitClient, staged: Sequence[StagedMessages], written: Mapping[int, int]) -> None:
        numbers: dict[int, int] = {}
        producer = client.producer(self._topic)
        with client.transaction(self._what):
            for each in staged:
                for batch in staged_batches(each):
                    self._send(client, producer, batch, numbers, written)
                    client.check(self._what)
            client.flush(self._what)

    def _send(
        self, client: CommitClient, producer: Producer, batch: pa.RecordBatch, numbers: dict[int, int], written: Mapping[int, int]
    ) -> None:
        partitions = batch.column("partition")
        chosen = partitions.unique().to_pylist()
        for partition in chosen:
            rows = batch if len(chosen) == 1 else batch.filter(pc.equal(partitions, partition))
            start = numbers.get(partition, 0)
            numbers[partition] = start + rows.num_rows
            for done in range(max(0, written.get(partition, 0) - start), rows.num_rows, _STEP):
                self._send_rows(client, producer, rows.slice(done, _STEP), partition, start + done)
                producer.poll(0)

    def _send_rows(self, client: CommitClient, producer: Producer, rows: pa.RecordBatch, partition: int, start: int) -> None:
        topic, produce = self._topic, producer.produce
        is_numbered, number = self._guarantee.is_exactly_once, {HEADER: b""}
        commits: Iterable[bytes] = self._header_values.of(start, rows.num_rows) if is_numbered else repeat(b"")
        keys, times = _values(rows.column("key")), _values(rows.column("timestamp"), 0)
        all_headers = _values(rows.column("headers"))
        values = rows.column("value").to_pylist()
        usual: Any = number if is_numbered else None
        for key, value, timestamp, headers, commit in zip(keys, values, times, all_headers, commits):  # noqa: B905  # some are unbounded
            number[HEADER] = commit  # one dictionary for all: the client copies it
            sent = usual
            if headers:
                own = [header for header in headers if header[0] != HEADER]  # readers leave out messages that they know by it
                sent = [*own, *(usual or {}).items()]
            try:
                # By position: a call with names takes twice the time.
                produce(topic, value, key, partition, None, None, timestamp or 0, sent)
            except BufferError:
                self._produce_later(client, producer, (topic, value, key, partition, None, None, timestamp or 0, sent))

    def _produce_later(self, client: CommitClient, producer: Producer, message: tuple[Any, ...]) -> None:
        """Produces a message as soon as the client's queue has room for it."""
        while True:
            producer.poll(0.1)
            client.check(self._what)
            with suppress(BufferError):
                producer.produce(*message)
                return


def _values(column: pa.Array, default: object = None) -> Iterable[Any]:
    """Returns the values of a column; one value without end if all are NULL."""
    return repeat(default) if column.null_count == len(column) else column.to_pylist()
