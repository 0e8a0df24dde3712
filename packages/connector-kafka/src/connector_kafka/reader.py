"""Reads partitions: a consumer for each, batches that are decoded on other threads while the next one is fetched."""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import deepcopy
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import pyarrow as pa

from connector_kafka.partition_consumer import PartitionConsumer
from connector_kafka.sequences import SeenSequences
from connector_kafka.splits import PartitionSplit
from table_common.annotation import override
from table_common.configuration import available_processors
from table_common.connector import SourceReader, SourceSplit
from table_common.exceptions import TableInternalError

if TYPE_CHECKING:
    from confluent_kafka import Message

    from connector_kafka.cluster import Cluster
    from connector_kafka.decoding import DecodedRows, RecordDecoding
    from connector_kafka.message_batch import MessageBatch
    from connector_kafka.planning import Planning

_MOST_CONSUMERS = 16
"""The number of partitions whose consumers stay open, the last used ones."""
_BATCH = 10_000
"""How many messages are decoded at once."""
_FIRST_BATCH = 1_000
"""How many messages at the beginning of a range are decoded at once, so that its first rows come soon."""
_EARLIER_MESSAGES = 1_000
"""How many messages before its first range a reader looks at, if there may be repeated ones in the range."""
_THREADS = min(4, available_processors())
_LOG = logging.getLogger(__name__)


class KafkaReader(SourceReader):
    """Reads splits. A partition is read on without a new connection if its next range begins where the last one ended."""

    def __init__(self, cluster: Cluster, decoding: RecordDecoding, on_out_of_range: str, planning: Planning) -> None:
        """``planning`` may have the messages of a range already."""
        self._planning = planning
        self._cluster = cluster
        self._decoding = decoding
        self._on_out_of_range = on_out_of_range
        self._consumers: OrderedDict[str, tuple[PartitionConsumer, SeenSequences]] = OrderedDict()
        self._decoders: SimpleQueue[RecordDecoding] = SimpleQueue()
        self._pool: ThreadPoolExecutor | None = None
        self._ignored = self._told = 0
        self._first_ignored: str | None = None

    @override
    def read(self, split: SourceSplit) -> Iterator[pa.RecordBatch]:
        if not isinstance(split, PartitionSplit):
            raise TableInternalError(f"A reader of topics was given the split {split!r}.")
        consumer, seen = self._consumer(split)
        waiting: deque[Future[DecodedRows]] = deque()
        try:
            fetched = self._planning.take(split)
            batches = consumer.batches(split.start, split.end) if fetched is None else consumer.pass_on(fetched, split.end)
            for new in self._filled(batches, seen, split):
                if not waiting and consumer.position >= split.end:  # the only batch: another thread would not be faster
                    yield from self._counted(self._decode(new))
                    continue
                if self._pool is None:
                    self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="kafka-decode")
                waiting.append(self._pool.submit(self._decode, new))
                while len(waiting) >= _THREADS:
                    yield from self._counted(waiting.popleft().result())
            while waiting:
                yield from self._counted(waiting.popleft().result())
        finally:
            for future in waiting:
                future.cancel()

    def _filled(self, fetched: Iterator[list[Message]], seen: SeenSequences, split: PartitionSplit) -> Iterator[MessageBatch]:
        """Yields the messages that were not read before, in batches for the decoders."""
        most = _FIRST_BATCH
        batch = self._decoding.new_batch(split.topic, split.partition)
        for messages in fetched:
            new = seen.new_ones(messages)
            if new:
                batch.add(new)
            del messages, new  # so that they end before the next ones are there
            if batch.is_full(most):
                yield batch
                most = _BATCH
                batch = self._decoding.new_batch(split.topic, split.partition)
        if len(batch):
            yield batch

    def _consumer(self, split: PartitionSplit) -> tuple[PartitionConsumer, SeenSequences]:
        found = self._consumers.pop(split.split_id, None)
        if found is None:
            found = PartitionConsumer(self._cluster, split.topic, split.partition, self._on_out_of_range), self._seen_before(split)
        elif found[0].position != split.start:
            found = found[0], self._seen_before(split)  # a range that is read again has the same rows
        self._consumers[split.split_id] = found
        while len(self._consumers) > _MOST_CONSUMERS:
            _, (oldest, _) = self._consumers.popitem(last=False)
            oldest.close()
        return found

    def _seen_before(self, split: PartitionSplit) -> SeenSequences:
        return SeenSequences(partial(self._earlier, split) if split.start > 0 else None)

    def _earlier(self, split: PartitionSplit) -> Iterator[Sequence[Message]]:
        consumer = PartitionConsumer(self._cluster, split.topic, split.partition, "earliest")
        try:
            yield from consumer.batches(max(split.start - _EARLIER_MESSAGES, 0), split.start)
        finally:
            consumer.close()

    def _decode(self, messages: MessageBatch) -> DecodedRows:
        try:
            decoding = self._decoders.get_nowait()
        except Empty:
            decoding = deepcopy(self._decoding)
            decoding.open()
        try:
            return decoding.decode(messages)
        finally:
            self._decoders.put(decoding)

    def _counted(self, decoded: DecodedRows) -> Iterator[pa.RecordBatch]:
        self._ignored += decoded.ignored
        self._first_ignored = self._first_ignored or decoded.first_ignored
        if decoded.rows.num_rows:
            yield decoded.rows

    @property
    @override
    def ignored(self) -> int:
        return self._ignored

    @override
    def close(self) -> None:
        consumers, self._consumers = self._consumers, OrderedDict()
        for consumer, _ in consumers.values():
            consumer.close()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        if self._ignored > self._told:
            _LOG.warning("%d messages or values could not be read and were ignored; the first: %s", self._ignored, self._first_ignored)
            self._told = self._ignored
