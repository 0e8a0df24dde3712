"""Readers: several partitions, threads that decode, messages that cannot be read, sequences that were written twice."""

from __future__ import annotations

import logging

import pytest
from kafka_brokers import SECONDS, new_topic, produce, producer
from kafka_tables import all_rows, case_of, options_of, rows_between, source_of

from connector_kafka.sequences import HEADER, header_of
from table_common.exceptions import TableRuntimeException

NUMBERS = case_of("id BIGINT")


def numbers(*values: int) -> list[bytes | None]:
    return [b'{"id": %d}' % value for value in values]


def test_many_batches_keep_the_order_of_their_messages() -> None:
    topic = new_topic("tansu", 2)
    for partition in (0, 1):
        produce("tansu", topic, numbers(*range(30_000)), partition)
    assert [row[0] for row in all_rows(source_of(NUMBERS, options_of("tansu", topic)))] == [*range(30_000)] * 2


def test_a_message_that_cannot_be_read_is_named() -> None:
    topic = new_topic("tansu")
    produce("tansu", topic, [*numbers(*range(3_000)), b"no JSON"], 1)
    with pytest.raises(TableRuntimeException) as caught:
        all_rows(source_of(NUMBERS, options_of("tansu", topic)))
    assert f"Topic '{topic}', partition 1, offset 3000: no JSON is not a JSON object" in caught.value.message


def test_messages_that_are_ignored_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    topic = new_topic("tansu")
    produce("tansu", topic, [*numbers(1), b"no JSON", b"[", *numbers(2)], 1)
    provider = source_of(NUMBERS, options_of("tansu", topic, json__ignore_parse_errors="true"))
    with caplog.at_level(logging.WARNING, "connector_kafka.reader"):
        assert all_rows(provider) == [(1,), (2,)]
    assert "2 messages or values could not be read and were ignored; the first: Topic" in caplog.text
    assert "offset 1" in caplog.text


def test_the_number_of_ignored_messages_is_known_while_the_reader_is_open() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b"no JSON", *numbers(1), b"["])
    provider = source_of(NUMBERS, options_of("tansu", topic, json__ignore_parse_errors="true"))
    reader = provider.create_reader()
    for start, ignored in ((0, 1), (1, 1), (2, 2)):
        (split,) = provider.plan({topic: {"0": start}}, {topic: {"0": start + 1}})
        list(reader.read(split))
        assert reader.ignored == ignored
    reader.close()
    provider.close()


def test_messages_without_value_are_no_rows() -> None:
    topic = new_topic("tansu")
    produce("tansu", topic, [*numbers(1), None, *numbers(2)])
    assert all_rows(source_of(NUMBERS, options_of("tansu", topic))) == [(1,), (2,)]


def test_what_a_cut_off_writer_repeated_is_read_once() -> None:
    topic = new_topic("tansu", 1)

    def write(epoch: int, *sequence: int) -> None:
        for number in sequence:
            header = header_of("a job", epoch, number)
            produce("tansu", topic, numbers(epoch * 10 + number), headers=[(HEADER, header)])

    write(0, 0, 1, 2)
    write(0, 1, 2)
    produce("tansu", topic, numbers(100))
    write(1, 0)
    write(0, 2)
    assert all_rows(source_of(NUMBERS, options_of("tansu", topic))) == [(0,), (1,), (2,), (100,), (10,)]


def test_many_messages_that_were_repeated_are_read_once() -> None:
    topic = new_topic("tansu", 1)
    client = producer("tansu")
    for first, end in ((0, 1_300), (300, 1_900), (1_850, 2_000), (0, 2_000)):
        for number in range(first, end):
            client.produce(topic, b'{"id": %d}' % number, partition=0, headers=[(HEADER, header_of("a job", 0, number))])
    assert client.flush(SECONDS) == 0
    assert all_rows(source_of(NUMBERS, options_of("tansu", topic))) == [(number,) for number in range(2_000)]


def test_a_range_behind_another_one_knows_what_was_read() -> None:
    topic = new_topic("tansu", 1)
    for number in (0, 1, 1, 2):
        produce("tansu", topic, numbers(number), headers=[(HEADER, header_of("a job", 0, number))])
    provider = source_of(NUMBERS, options_of("tansu", topic))
    reader = provider.create_reader()
    found = []
    for start, end in ((0, 2), (2, 4)):
        for split in provider.plan({topic: {"0": start}}, {topic: {"0": end}}):
            found += [row for batch in reader.read(split) for row in batch.column(0).to_pylist()]
    assert found == [0, 1, 2]
    reader.close()
    assert rows_between(provider, {topic: {"0": 0}}, {topic: {"0": 4}}) == [(0,), (1,), (2,)]
    provider.close()


@pytest.mark.parametrize("broker", ["tansu", "mock"])
def test_another_reader_of_a_range_knows_what_is_before_it(broker: str) -> None:
    topic = new_topic(broker, 1)
    for number in (0, 1, 1, 0, 2):
        produce(broker, topic, numbers(number), headers=[(HEADER, header_of("a job", 0, number))])
    provider = source_of(NUMBERS, options_of(broker, topic))
    found = [rows_between(provider, {topic: {"0": start}}, {topic: {"0": start + 1}}) for start in range(5)]
    assert found == [[(0,)], [(1,)], [], [], [(2,)]]
    provider.close()


def test_messages_before_a_range_may_be_gone() -> None:
    topic = new_topic("mock", 1)
    for number in range(140):
        value = b'{"id": %d, "text": "%s"}' % (number, b"x" * 100_000)
        produce("mock", topic, [value], headers=[(HEADER, header_of("a job", 0, number))])
    provider = source_of(NUMBERS, options_of("mock", topic))
    assert rows_between(provider, {topic: {"0": 130}}, {topic: {"0": 140}}) == [(number,) for number in range(130, 140)]
    provider.close()
