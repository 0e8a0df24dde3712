"""Topics that are deleted and created again: their ids tell it, whatever their offsets are."""

from __future__ import annotations

import time
from typing import Any

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic
from kafka_brokers import new_topic, produce, servers
from kafka_tables import case_of, options_of, rows_between, source_of

from connector_kafka import topic_ids
from connector_kafka.failures import ClientErrors
from connector_kafka.source_provider import KafkaSourceProvider
from connector_kafka.topic_ids import TopicIds
from table_common.exceptions import TableRuntimeException

NUMBERS = case_of("id BIGINT")


def numbers(*values: int) -> list[bytes | None]:
    return [b'{"id": %d}' % value for value in values]


def created_anew(topic: str, partitions: int = 1) -> None:
    admin = AdminClient({"bootstrap.servers": servers("tansu"), "log_level": 0})
    admin.delete_topics([topic])[topic].result(20.0)
    end = time.monotonic() + 20.0
    while True:
        try:
            admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(20.0)
            return
        except KafkaException:
            assert time.monotonic() < end, "the topic cannot be created"
            time.sleep(0.05)


def provider_of(topic: str, policy: str = "fail", broker: str = "tansu") -> Any:
    options = options_of(broker, topic, scan__bounded__mode="unbounded", scan__on_offset_out_of_range=policy)
    return source_of(NUMBERS, options, is_bounded=False)


def read_to(provider: KafkaSourceProvider, offset: Any, topic: str, end: int) -> tuple[Any, list[tuple[Any, ...]]]:
    """Reads partition 0 of a topic up to an offset; returns where reading continues, and the rows."""
    rows = []
    while offset[topic]["0"] < end:
        before, offset = offset, provider.latest_offset(offset)
        rows += rows_between(provider, before, offset)
    return offset, rows


def saved_offset(topic: str, partitions: int = 1) -> Any:
    """Returns the offset behind two messages of a topic that is then created again and has five messages."""
    produce("tansu", topic, numbers(1, 2))
    provider = provider_of(topic)
    offset, rows = read_to(provider, provider.initial_offset(), topic, 2)
    assert rows == [(1,), (2,)]
    provider.close()
    created_anew(topic, partitions)
    produce("tansu", topic, numbers(*range(10, 15)))
    return offset


@pytest.mark.parametrize("policy", ["fail", "earliest", "latest"])
def test_a_topic_that_was_created_anew_and_has_more_messages(policy: str) -> None:
    topic = new_topic("tansu", 1)
    offset = saved_offset(topic)
    provider = provider_of(topic, policy)
    if policy == "fail":
        with pytest.raises(TableRuntimeException, match=rf"Topic '{topic}' was deleted and created again"):
            provider.latest_offset(offset)
    else:
        start = provider.latest_offset(offset)
        assert provider.plan(offset, start) == []  # the offsets between belong to two topics
        assert start[topic]["0"] == (0 if policy == "earliest" else 5)
        produce("tansu", topic, numbers(15))
        _, rows = read_to(provider, start, topic, 6)
        assert rows == [(number,) for number in (range(10, 16) if policy == "earliest" else [15])]
    provider.close()


@pytest.mark.parametrize("policy", ["fail", "latest"])
def test_a_range_of_an_earlier_run_is_not_read_from_the_new_topic(policy: str) -> None:
    topic = new_topic("tansu", 1)
    end = saved_offset(topic)
    start = {topic: {**end[topic], "0": 0}}
    provider = provider_of(topic, policy)
    if policy == "fail":
        with pytest.raises(TableRuntimeException, match="created again"):
            provider.plan(start, end)
    else:
        assert provider.plan(start, end) == []
    provider.close()


def test_ids_are_asked_for_again_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    # No consumer reads the topic meanwhile: librdkafka 2.16.0 can crash if its topic is created again.
    topic = new_topic("tansu", 1)
    cluster = provider_of(topic).cluster
    consumer = cluster.consumer({}, ClientErrors())
    ids = TopicIds()
    first = ids.of([topic], consumer, cluster)
    assert set(first) == {topic}
    created_anew(topic)
    assert ids.of([topic], consumer, cluster) == first
    monkeypatch.setattr(topic_ids, "_AGAIN_SECONDS", 0.0)
    end = time.monotonic() + 20.0
    while ids.of([topic], consumer, cluster) in (first, {}):  # the answer is not waited for
        assert time.monotonic() < end
        time.sleep(0.01)
    assert set(ids.of([topic], consumer, cluster)) == {topic}
    ids.close()
    consumer.close()


def test_the_new_topic_may_have_fewer_partitions() -> None:
    topic = new_topic("tansu", 3)
    offset = saved_offset(topic)
    assert set(offset[topic]) == {"0", "1", "2", "id"}
    provider = provider_of(topic, "earliest")
    start = provider.latest_offset(offset)
    assert set(start[topic]) == {"0", "id"}
    assert start[topic]["id"] != offset[topic]["id"]
    provider.close()


def test_an_offset_without_an_id_gets_the_one_that_the_topic_has() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, numbers(1, 2, 3))
    provider = provider_of(topic)
    offset, rows = read_to(provider, {topic: {"0": 1}}, topic, 3)
    assert rows == [(2,), (3,)]
    assert offset[topic]["id"] == provider.initial_offset()[topic]["id"]
    provider.close()


def test_brokers_without_ids_are_read_without_delay() -> None:
    topic = new_topic("mock")
    produce("mock", topic, numbers(1, 2))
    provider = provider_of(topic, broker="mock")
    began = time.monotonic()
    offset, rows = read_to(provider, provider.initial_offset(), topic, 2)
    assert (rows, "id" in offset[topic]) == ([(1,), (2,)], False)
    assert time.monotonic() - began < 4.0
    provider.close()


def test_brokers_that_are_gone_and_topics_that_do_not_exist_have_no_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_ids, "_ANSWER_SECONDS", 0.2)
    for broker in ("127.0.0.1:1", "tansu"):
        cluster = provider_of("no-such-topic", broker=broker).cluster
        consumer = cluster.consumer({}, ClientErrors())
        assert TopicIds().of(["no-such-topic"], consumer, cluster) == {}
        consumer.close()
