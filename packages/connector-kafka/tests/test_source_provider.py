"""Ranges of partitions: limits, bounds, partitions that come later, committed offsets."""

from __future__ import annotations

import pickle
import time
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from kafka_brokers import Tansu, new_topic, produce, producer, servers
from kafka_tables import all_rows, case_of, options_of, rows_between, source_of

from connector_kafka import planning
from connector_kafka.source_provider import _limited
from table_common.connector import ReadLimit
from table_common.exceptions import TableRuntimeException, ValidationException

NUMBERS = case_of("id BIGINT")


def numbers(*values: int) -> list[bytes | None]:
    return [b'{"id": %d}' % value for value in values]


def positions(offset: Any) -> dict[str, dict[str, int]]:
    """Returns an offset without the ids of topics."""
    return {topic: {key: value for key, value in offsets.items() if key != "id"} for topic, offsets in offset.items()}


def test_limits_are_shared_by_the_partitions_and_always_make_progress() -> None:
    sizes: Any = {("t", 0): 100, ("t", 1): 2, ("t", 2): 0}
    assert _limited(sizes, None) == sizes
    assert sum(_limited(sizes, 11).values()) == 11
    assert _limited(sizes, 11)["t", 1] == 2
    assert sum(_limited(sizes, 1).values()) == 1


def test_a_limit_of_bytes_divides_the_messages() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b'{"id": 1, "text": "%s"}' % (b"x" * 1_000)] * 100)
    provider = source_of(NUMBERS, options_of("tansu", topic))
    start: Any = provider.initial_offset()
    end: Any = provider.latest_offset(start, ReadLimit(bytes=10_240))
    assert 5 <= end[topic]["0"] <= 15
    provider.close()


def test_a_bounded_scan_ends_where_the_data_ended_when_it_began() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, numbers(1, 2))
    provider = source_of(NUMBERS, options_of("tansu", topic))
    first: Any = provider.latest_offset(provider.initial_offset())
    produce("tansu", topic, numbers(3))
    assert provider.latest_offset(first) == first
    provider.close()


def test_a_scan_without_end_goes_on_and_waits_for_messages() -> None:
    topic = new_topic("tansu", 1)
    provider = source_of(NUMBERS, options_of("tansu", topic, scan__bounded__mode="unbounded"), is_bounded=False)
    assert not provider.is_bounded
    start = provider.initial_offset()
    assert not provider.wait(start, 0.05)
    produce("tansu", topic, numbers(1))
    assert provider.wait(start, 20.0)
    end = provider.latest_offset(start)
    assert rows_between(provider, start, end) == [(1,)]
    assert (dict(provider.pending_rows(start)), dict(provider.pending_rows(end))) == ({f"{topic}-0": 1}, {f"{topic}-0": 0})
    assert not provider.wait(end, 0.05)
    provider.close()


def test_messages_that_come_while_another_partition_has_some_left_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = new_topic("tansu", 2)
    produce("tansu", topic, numbers(*range(100)), partition=0)
    provider = source_of(NUMBERS, options_of("tansu", topic, scan__bounded__mode="unbounded"), is_bounded=False)
    start: Any = provider.latest_offset(provider.initial_offset(), ReadLimit(rows=10))
    assert provider.pending_rows(start)[f"{topic}-1"] == 0
    produce("tansu", topic, numbers(1), partition=1)
    monkeypatch.setattr(planning, "_ENDS_SECONDS", 0.0)
    end: Any = provider.latest_offset(start, ReadLimit(rows=10))
    assert end[topic]["1"] == 1
    provider.close()


def test_a_topic_that_is_made_anew_is_noticed_by_a_scan_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_ENDS_SECONDS", 0.05)
    broker = Tansu()
    try:
        topic = new_topic(broker.servers, 1)
        produce(broker.servers, topic, numbers(*range(10)))
        provider = source_of(NUMBERS, options_of(broker.servers, topic, scan__bounded__mode="unbounded"), is_bounded=False)
        start: Any = provider.latest_offset({topic: {"0": 0}})
        while start[topic]["0"] < 10:
            start = provider.latest_offset(start)
        provider.wait(start, 0.01)
        broker.kill()
        broker.start()
        admin = AdminClient({"bootstrap.servers": broker.servers, "log_level": 0})
        admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(20.0)

        def read_on(deadline: float) -> None:
            while time.monotonic() < deadline:
                try:
                    if provider.wait(start, 0.1):
                        provider.latest_offset(start)
                except TableRuntimeException as error:
                    if not isinstance(error.__cause__, ConnectionError):  # otherwise a job is restarted
                        raise

        with pytest.raises(TableRuntimeException, match=r"has no messages; .* so it cannot be read from offset 10"):
            read_on(time.monotonic() + 20.0)
        provider.close()
    finally:
        broker.kill()


@pytest.mark.parametrize("policy", ["fail", "earliest", "latest"])
def test_a_topic_that_ends_before_the_position(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The topic was made again, or has lost messages.
    monkeypatch.setattr(planning, "_ENDS_SECONDS", 0.0)
    topic = new_topic("tansu", 1)
    produce("tansu", topic, numbers(7, 8))
    options = options_of("tansu", topic, scan__bounded__mode="unbounded", scan__on_offset_out_of_range=policy)
    provider = source_of(NUMBERS, options, is_bounded=False)
    start: Any = {topic: {"0": 10}}
    if policy == "fail":
        with pytest.raises(TableRuntimeException, match=rf"(?s){topic}.*10"):
            provider.latest_offset(start)
    else:
        begin: Any = provider.latest_offset(start)
        assert positions(begin) == {topic: {"0": 0 if policy == "earliest" else 2}}
        assert rows_between(provider, start, begin) == []
        produce("tansu", topic, numbers(9))
        end: Any = begin
        while end[topic]["0"] < 3:
            end = provider.latest_offset(end)
        assert rows_between(provider, begin, end) == ([(7,), (8,), (9,)] if policy == "earliest" else [(9,)])
    provider.close()


def test_partitions_that_come_later_are_read_from_their_first_message() -> None:
    topic = new_topic("tansu")
    other = topic.replace("t-", "later-")
    pattern = f"(t|later)-{topic[2:]}"
    options = options_of("tansu", topic, scan__bounded__mode="unbounded", scan__topic_partition_discovery__interval="1 ms")
    del options["topic"]
    provider = source_of(NUMBERS, options | {"topic-pattern": pattern, "scan.startup.mode": "latest-offset"}, is_bounded=False)
    start: Any = provider.initial_offset()
    assert set(start) == {topic}
    producer("tansu").list_topics(other)
    produce("tansu", other, numbers(1, 2))
    end: Any = provider.latest_offset(start)
    while end[other]["0"] < 2:  # an unbounded scan may find the messages one after the other
        assert provider.wait(end, 20.0)
        end = provider.latest_offset(end)
    assert rows_between(pickle.loads(pickle.dumps(provider)), start, end) == [(1,), (2,)]
    assert {f"{topic}-{number}" for number in positions(start)[topic]} | {f"{other}-0"} <= set(provider.split_ids(start))
    provider.close()


def test_a_missing_topic_names_similar_ones() -> None:
    topic = new_topic("tansu")
    with pytest.raises(ValidationException) as caught:
        source_of(NUMBERS, options_of("tansu", topic[:-1])).initial_offset()
    assert f"Topic '{topic[:-1]}' does not exist in Kafka at {servers('tansu')}" in caught.value.message
    assert f"'{topic}'" in caught.value.message.partition("Did you mean ")[2]


def test_a_broker_that_is_away_is_named_with_the_option() -> None:
    options = options_of("tansu", "orders", properties__default__api__timeout__ms="300")
    with pytest.raises(TableRuntimeException) as caught:
        all_rows(source_of(NUMBERS, options | {"properties.bootstrap.servers": "127.0.0.1:1"}))
    assert "Kafka at 127.0.0.1:1 cannot be reached" in caught.value.message
    assert "properties.bootstrap.servers" in (caught.value.hint or "")
