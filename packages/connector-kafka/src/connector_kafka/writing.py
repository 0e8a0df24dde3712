"""Writes: each task keeps its messages in a file, and the committer produces them.

Each message has a header with job, epoch and its number in its partition. A repeated commit reads the ends of the partitions, finds the last number of its
epoch, and continues after it: exactly once for one writer, on any broker and without transactions.
"""

from __future__ import annotations

import pyarrow as pa
from confluent_kafka import Consumer, KafkaError

from connector_kafka.cluster import Cluster
from connector_kafka.committing import KafkaCommitter
from connector_kafka.delivery import Guarantee
from connector_kafka.encoding import RecordEncoding, last_of_each_key
from connector_kafka.failures import ClientErrors, Deadline, calling, failure_of
from connector_kafka.modes import listed_ends
from connector_kafka.partitioning import Partitioner
from connector_kafka.staging import MESSAGES, StagedMessages, StagingFile, StagingFolder
from connector_kafka.topics import listed_topics
from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import conform, import_batch
from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    CommitMessage,
    DeliveryGuarantee,
    SinkCommitter,
    SinkWriter,
    SupportsArrowArray,
    WriterContext,
)
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType

_MOST_BYTES = 1_000_000
"""The size of a message that the client sends by default."""
_OVERHEAD = 512
"""The bytes of a message beside key and value: its headers among other things."""


@dataclass(frozen=True)
class KafkaSinkProvider(ArrowSinkProvider):
    """Writers that keep messages in files, and a committer that produces them."""

    cluster: Cluster
    topic: str
    row_type: RowType
    encoding: RecordEncoding
    partitioner: str
    guarantee: Guarantee
    folder: StagingFolder
    reduced_rows: int = 0

    @property
    @override
    def message_class(self) -> type:
        return StagedMessages

    @property
    @override
    def delivery(self) -> DeliveryGuarantee:
        return DeliveryGuarantee.EXACTLY_ONCE if self.guarantee.is_exactly_once else DeliveryGuarantee.AT_LEAST_ONCE

    @override
    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _Writer(self, context)

    @override
    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return KafkaCommitter(self.cluster, self.topic, self.guarantee, self.folder, context)


class _Writer(SinkWriter):
    def __init__(self, provider: KafkaSinkProvider, context: WriterContext) -> None:
        self._provider = provider
        self._context = context
        self._errors = ClientErrors()
        self._consumer: Consumer | None = None
        self._file: StagingFile | None = None
        self._partitioner: Partitioner | None = None
        self._counts: dict[int, int] = {}
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0

    @override
    def write(self, batch: SupportsArrowArray) -> None:
        rows = import_batch(batch)
        if not rows.num_rows:
            return
        width = len(self._provider.row_type.fields)
        kinds = rows.column(width) if rows.num_columns > width else None
        plain = conform(rows.select(list(range(width))), self._provider.row_type) if kinds is None else rows.select(list(range(width)))
        if self._partitioner is None:
            self._provider.encoding.open()
            self._partitioner = Partitioner(self._provider.partitioner, self._partition_count(), self._context)
        encoded = self._provider.encoding.encode(plain, kinds)
        keys = encoded.keys if encoded.keys is not None else pa.nulls(rows.num_rows, pa.binary())
        self._require_small(keys, encoded.values)
        partitions = self._partitioner.partitions(encoded.keys, rows.num_rows)
        columns = [keys, encoded.values, partitions, encoded.timestamps, encoded.headers]
        self._add(pa.RecordBatch.from_arrays(columns, schema=MESSAGES))

    def _add(self, messages: pa.RecordBatch) -> None:
        most = self._provider.reduced_rows
        if not most:
            self._store(messages)
            return
        self._waiting.append(messages)
        self._waiting_rows += messages.num_rows
        if self._waiting_rows >= most:
            self._store_last_ones()

    def _store_last_ones(self) -> None:
        if self._waiting:
            messages = pa.Table.from_batches(self._waiting).combine_chunks().to_batches()[0]
            self._waiting, self._waiting_rows = [], 0
            self._store(messages.take(last_of_each_key(messages.column("key").to_pylist())))

    def _store(self, messages: pa.RecordBatch) -> None:
        if self._file is None:
            self._file = self._provider.folder.new_file(CommitContext(self._context.job_id, self._context.epoch))
        self._file.write(messages)
        for count in messages.column("partition").value_counts().to_pylist():
            self._counts[count["values"]] = self._counts.get(count["values"], 0) + count["counts"]

    def _require_small(self, keys: pa.Array, values: pa.Array) -> None:
        most = int(
            self._provider.cluster.properties.get("message.max.bytes")
            or self._provider.cluster.properties.get("max.request.size")
            or _MOST_BYTES
        )
        sizes = pc.add(
            pc.coalesce(pc.binary_length(values), pa.scalar(0, pa.int32())), pc.coalesce(pc.binary_length(keys), pa.scalar(0, pa.int32()))
        )
        largest = pc.max(sizes).as_py()
        if largest is not None and largest + _OVERHEAD > most:
            position = pc.index(sizes, largest).as_py()
            begin = (values[position].as_py() or b"")[:100].decode(errors="replace")
            raise TableRuntimeException(
                f"A row for the topic '{self._provider.topic}' has {largest} bytes, more than the client sends ({most}, with {_OVERHEAD} for headers): {begin}…",
                hint="'properties.message.max.bytes' is the client's limit; the topic has max.message.bytes, the broker message.max.bytes",
            )

    def _partition_count(self) -> int:
        """Returns the number of the topic's partitions; a broker that creates topics at their first use has some time for it."""
        provider = self._provider
        consumer = self._connected()
        deadline = Deadline(provider.cluster.timeout)
        with calling(provider.cluster, self._errors, f"Writing the topic '{provider.topic}'"):
            while not deadline.has_passed:
                found = listed_topics(consumer, provider.cluster, self._errors, provider.topic)[provider.topic]
                if found.partitions:
                    return len(found.partitions)
                code = found.error.code() if found.error is not None else None
                if code not in (KafkaError.LEADER_NOT_AVAILABLE, KafkaError.UNKNOWN_TOPIC_OR_PART, None):
                    raise failure_of(found.error, provider.cluster, self._errors, f"Writing the topic '{provider.topic}'")
                existing = listed_topics(consumer, provider.cluster, self._errors)
                if code == KafkaError.UNKNOWN_TOPIC_OR_PART and provider.topic not in existing:
                    where = f"Kafka at {provider.cluster.servers}"
                    raise ValidationException.unknown(
                        "Topic", provider.topic, existing, where=where, hint="the broker does not create topics itself"
                    )
        raise failure_of(None, provider.cluster, self._errors, f"Writing the topic '{provider.topic}'")

    def _connected(self) -> Consumer:
        if self._consumer is None:
            self._consumer = self._provider.cluster.consumer({"allow.auto.create.topics": True}, self._errors)
        return self._consumer

    def _disconnect(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close()

    @override
    def prepare_commit(self) -> CommitMessage:
        self._store_last_ones()
        file = self._file
        if file is None:
            self._disconnect()
            return StagedMessages(None)
        file.close()
        ends: dict[int, int] = {}
        provider = self._provider
        if provider.guarantee.is_exactly_once:
            with calling(provider.cluster, self._errors, f"Writing the topic '{provider.topic}'"):
                partitions = [(provider.topic, number) for number in self._counts]
                found = listed_ends(partitions, self._connected(), provider.cluster)
            ends = {number: end for (_, number), end in found.items()}
        self._disconnect()
        return StagedMessages(str(file.path), dict(self._counts), ends)

    @override
    def abort(self) -> None:
        self._waiting.clear()
        self._disconnect()
        file, self._file = self._file, None
        if file is not None:
            file.remove()
