"""Writers: what is refused before the commit, what is reduced."""

from __future__ import annotations

from pathlib import Path

import pytest
from kafka_brokers import new_topic, stored, values_of
from kafka_tables import case_of, options_of, sink_of

from table_common import arrow
from table_common.connector import CommitContext, DeliveryGuarantee, WriterContext
from table_common.exceptions import TableRuntimeException
from table_testing import write_rows

CASE = case_of("id BIGINT, name STRING")
UPSERT = case_of("id BIGINT NOT NULL, name STRING", ("id",))


def test_the_guarantee_is_shown() -> None:
    def shown(**options: str) -> DeliveryGuarantee:
        return sink_of(CASE, options_of("tansu", "orders", **options)).delivery

    assert shown() is DeliveryGuarantee.EXACTLY_ONCE
    assert shown(sink__delivery_guarantee="none") is DeliveryGuarantee.AT_LEAST_ONCE


def test_a_message_that_is_too_large_is_refused_before_the_commit(tmp_path: Path) -> None:
    topic = new_topic("tansu")
    provider = sink_of(CASE, options_of("tansu", topic, sink__staging_directory=str(tmp_path)))
    writer = provider.create_writer(WriterContext("job"))
    with pytest.raises(TableRuntimeException, match=rf"A row for the topic '{topic}' has 1000018 bytes") as caught:
        writer.write(arrow.from_python_rows([(1, "a"), (2, "x" * 1_000_000)], CASE.row_type))
    assert "max.message.bytes" in (caught.value.hint or "")
    writer.abort()
    assert list(tmp_path.iterdir()) == []


def test_only_the_last_row_of_a_key_is_written_if_rows_are_buffered(tmp_path: Path) -> None:
    topic = new_topic("tansu", 1)
    options = options_of("tansu", topic, is_upsert=True, sink__staging_directory=str(tmp_path), sink__buffer_flush__max_rows="3")
    provider = sink_of(UPSERT, options)
    rows = [(1, "a"), (1, "b"), (2, "c"), (1, "d"), (2, "e")]
    provider.create_committer(CommitContext("job")).commit(write_rows(provider, UPSERT.row_type, [rows]))
    assert values_of(stored("tansu", topic)) == [
        b'{"id":%d,"name":"%s"}' % (key, name) for key, name in ((1, b"b"), (2, b"c"), (1, b"d"), (2, b"e"))
    ]


def test_a_topic_comes_with_its_first_row(tmp_path: Path) -> None:
    topic = new_topic("tansu") + "-new"
    provider = sink_of(CASE, options_of("tansu", topic, sink__staging_directory=str(tmp_path)))
    provider.create_committer(CommitContext("job")).commit(write_rows(provider, CASE.row_type, [[(1, "a")]]))
    assert values_of(stored("tansu", topic)) == [b'{"id":1,"name":"a"}']


def test_a_broker_that_is_away_is_an_error_of_the_first_row(tmp_path: Path) -> None:
    options = options_of("tansu", "orders", sink__staging_directory=str(tmp_path), properties__default__api__timeout__ms="300")
    writer = sink_of(CASE, options | {"properties.bootstrap.servers": "127.0.0.1:1"}).create_writer(WriterContext("job"))
    with pytest.raises(TableRuntimeException, match=r"Writing the topic 'orders': Kafka at 127.0.0.1:1 cannot be reached"):
        writer.write(arrow.from_python_rows([(1, "a")], CASE.row_type))
    writer.abort()
