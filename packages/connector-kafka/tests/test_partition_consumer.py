"""The messages of a partition: ranges, gaps, offsets that are gone."""

from __future__ import annotations

import gc

import pytest
from confluent_kafka import Message
from kafka_brokers import Tansu, new_topic, produce, servers

from connector_kafka import partition_consumer
from connector_kafka.cluster import Cluster
from connector_kafka.partition_consumer import PartitionConsumer
from connector_kafka.splits import FROM_FIRST
from table_common.exceptions import TableRuntimeException


def consumer_of(topic: str, broker: str = "tansu", policy: str = "fail", **properties: str) -> PartitionConsumer:
    given = {"bootstrap.servers": servers(broker), "default.api.timeout.ms": "10000"} | properties
    return PartitionConsumer(Cluster(given), topic, 0, policy)


def offsets(consumer: PartitionConsumer, start: int, end: int) -> list[int]:
    return [message.offset() for batch in consumer.batches(start, end) for message in batch]


def test_ranges_follow_each_other_and_can_be_read_again() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b"x"] * 25)
    consumer = consumer_of(topic)
    assert offsets(consumer, FROM_FIRST, 10) == list(range(10))
    assert consumer.position == 10
    assert offsets(consumer, 10, 25) == list(range(10, 25))
    assert offsets(consumer, 3, 5) == [3, 4]
    consumer.close()


def test_a_connection_that_is_not_needed_for_long_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b"x"] * 9)
    consumer = consumer_of(topic)
    assert offsets(consumer, 0, 3) == [0, 1, 2]
    assert list(consumer.pass_on([], 4)) == []
    assert consumer._opened is not None
    monkeypatch.setattr(partition_consumer, "_UNUSED_SECONDS", 0.0)
    assert list(consumer.pass_on([], 5)) == []
    assert consumer._opened is None
    assert offsets(consumer, 5, 9) == [5, 6, 7, 8]
    consumer.close()


def test_a_range_that_was_left_early_can_be_read_again() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b"x"] * 2_500)
    consumer = consumer_of(topic)
    next(consumer.batches(0, 2_500))
    assert offsets(consumer, 0, 2_500) == list(range(2_500))
    consumer.close()


def test_batches_are_small_where_messages_are_large() -> None:
    topic = new_topic("tansu", 1)
    for _ in range(12):
        produce("tansu", topic, [b"x" * 100_000] * 100)
    consumer = consumer_of(topic)
    sizes = [len(batch) for batch in consumer.batches(0, 1_200)]
    assert sum(sizes) == 1_200
    assert max(sizes[1:]) <= 90
    consumer.close()


def test_few_messages_live_at_a_time() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b"x"] * 5_000)
    consumer = consumer_of(topic)
    living, read = [], 0
    for batch in consumer.batches(0, 5_000):
        read += len(batch)
        del batch
        living.append(sum(type(each) is Message and each.topic() == topic for each in gc.get_objects()))
    assert read == 5_000
    assert max(living) <= 500
    consumer.close()


def test_messages_that_the_broker_has_deleted_are_an_error_or_are_left_out() -> None:
    """The mock cluster keeps some megabytes of each partition."""
    topic = new_topic("mock")
    for _ in range(20):
        produce("mock", topic, [b"x" * 100_000] * 10)
    with pytest.raises(
        TableRuntimeException, match=rf"Topic '{topic}', partition 0 has the offsets \d+ to 199, so it cannot be read from offset 0"
    ):
        offsets(consumer_of(topic, "mock"), 0, 200)
    found = offsets(consumer_of(topic, "mock", "earliest"), 0, 200)
    assert found == list(range(found[0], 200))
    assert found[0] > 0
    assert offsets(consumer_of(topic, "mock", "latest"), 0, 200) == []


def test_a_broker_that_goes_away_while_it_is_read_is_an_error() -> None:
    broker = Tansu()
    try:
        cluster = Cluster({"bootstrap.servers": broker.servers, "default.api.timeout.ms": "500"})
        consumer = PartitionConsumer(cluster, "orders", 0, "fail")
        broker.kill()
        with pytest.raises(
            TableRuntimeException, match=rf"Reading Topic 'orders', partition 0 from offset 0: Kafka at {broker.servers} cannot be reached"
        ):
            offsets(consumer, 0, 5)
        consumer.close()
    finally:
        broker.kill()
