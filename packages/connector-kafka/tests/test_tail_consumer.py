"""The newest messages: those that came while a scan waited are read once, without holes, and too many are left to the readers."""

from __future__ import annotations

import random
from typing import Any

import pytest
from kafka_brokers import new_topic, produce, servers
from kafka_tables import case_of, options_of, rows_between, source_of

from connector_kafka import tail_consumer
from connector_kafka.cluster import Cluster
from connector_kafka.failures import ClientErrors
from connector_kafka.sequences import HEADER, header_of
from connector_kafka.tail_consumer import TailConsumer
from table_common.connector import ReadLimit

NUMBERS = case_of("id BIGINT")
UNBOUNDED: Any = {"scan__bounded__mode": "unbounded"}


def numbers(*values: int) -> list[bytes | None]:
    return [b'{"id": %d}' % value for value in values]


def tail_of(topic: str) -> TailConsumer:
    cluster = Cluster({"bootstrap.servers": servers("tansu")})
    return TailConsumer(cluster.consumer({"fetch.wait.max.ms": 10}, ClientErrors()))


def offsets(messages: list[Any] | None) -> list[int] | None:
    return None if messages is None else [message.offset() for message in messages]


def test_messages_are_kept_until_their_range_is_taken() -> None:
    topic = new_topic("tansu", 2)
    begins = {(topic, 0): 0, (topic, 1): 0}
    tail = tail_of(topic)
    assert not tail.wait(begins, 0.05)
    produce("tansu", topic, numbers(1, 2, 3), partition=1)
    assert tail.wait(begins, 20.0)
    assert tail.reaches({(topic, 1): 3}, 20.0)
    assert tail.ends(begins) == {(topic, 0): 0, (topic, 1): 3}
    assert offsets(tail.take((topic, 1), 0, 2)) == [0, 1]
    assert tail.take((topic, 1), 0, 2) is None  # was taken
    assert tail.take((topic, 1), 2, 4) is None  # has not come
    assert offsets(tail.take((topic, 1), 2, 3)) == [2]
    assert tail.ends({(topic, 0): 0, (topic, 1): 3}) == {(topic, 0): 0, (topic, 1): 3}
    tail.close()


def test_other_positions_are_not_followed() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, numbers(1, 2))
    tail = tail_of(topic)
    assert tail.ends({(topic, 0): 0}) is None
    assert tail.wait({(topic, 0): 0}, 20.0)
    assert tail.ends({(topic, 0): 1}) is None
    assert tail.take((topic, 0), 0, 1) is None
    tail.close()


def test_too_many_messages_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_consumer, "_MOST_MESSAGES", 5)
    topic = new_topic("tansu", 1)
    produce("tansu", topic, numbers(*range(20)))
    tail = tail_of(topic)
    assert tail.wait({(topic, 0): 0}, 20.0)
    while not tail.reaches({(topic, 0): 5}, 1.0):
        pass
    assert tail.ends({(topic, 0): 0}) == {(topic, 0): 5}
    assert offsets(tail.take((topic, 0), 0, 5)) == [0, 1, 2, 3, 4]
    assert tail.ends({(topic, 0): 5}) is None
    tail.close()


def test_a_scan_reads_each_message_once_whatever_consumer_has_fetched_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bursts that are few and many, limits, and ranges that are read again by another reader; the writer repeats the sequences of some messages."""
    monkeypatch.setattr(tail_consumer, "_MOST_MESSAGES", 40)
    seed = random.randrange(1 << 30)
    print("seed", seed)
    rng = random.Random(seed)
    topic = new_topic("tansu", 2)
    provider = source_of(NUMBERS, options_of("tansu", topic, **UNBOUNDED), is_bounded=False)
    reader = provider.create_reader()
    start: Any = provider.initial_offset()
    written: list[int] = []
    found: list[int] = []
    ranges = []
    for burst in range(12):
        count = rng.choice([1, 3, 30, 100])
        for partition in (0, 1):
            new = list(range(len(written), len(written) + count))
            written += new
            produce("tansu", topic, numbers(*new), partition, headers=[(HEADER, header_of("job", burst, 0))] if count == 1 else None)
            if count == 1:
                produce("tansu", topic, numbers(*new), partition, headers=[(HEADER, header_of("job", burst, 0))])
        while len(found) < len(written):
            end = provider.latest_offset(start, ReadLimit(rows=rng.choice([7, 1_000])))
            if end == start:
                assert provider.wait(start, 20.0)
                continue
            ranges.append((start, end))
            for split in provider.plan(start, end):
                found += [row for batch in reader.read(split) for row in batch.column(0).to_pylist()]  # type: ignore[attr-defined]
            start = end
    assert sorted(found) == written
    read_again = [row[0] for begin, end in ranges[:3] for row in rows_between(provider, begin, end)]
    assert read_again == found[: len(read_again)]
    reader.close()
    provider.close()
