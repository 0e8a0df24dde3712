"""Commits: repeated ones, those that were cut off, lost files, a broker that goes away."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kafka_brokers import BROKERS, Tansu, new_topic, produce, stored, values_of
from kafka_tables import case_of, options_of, sink_of

from connector_kafka.committing import KafkaCommitter
from connector_kafka.sequences import HEADER
from connector_kafka.staging import MESSAGES, StagedMessages
from table_common.connector import CommitContext
from table_common.exceptions import TableRuntimeException
from table_testing import write_rows

CASE = case_of("id BIGINT, name STRING")
ROWS = [(number, f"row {number}") for number in range(40)]


class Cut(Exception):
    """Stands for the end of the process."""


def sink(broker: str, topic: str, folder: Path, **options: str) -> Any:
    more = {"sink__partitioner": "round-robin", "sink__staging_directory": str(folder)} | options
    return sink_of(CASE, options_of(broker, topic, **more))


def ids(broker: str, topic: str) -> Counter[int]:
    return Counter(json.loads(value)["id"] for value in values_of(stored(broker, topic)) if value is not None and b"row" in value)


def commit_and_cut(provider: Any, messages: Any, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits, and stops after some messages have been produced; each batch has one."""
    original, sent = KafkaCommitter._send, 0

    def cut(self: Any, client: Any, producer: Any, *arguments: Any) -> None:
        nonlocal sent
        if sent < after:
            original(self, client, producer, *arguments)
            sent += 1
        if sent == after:
            producer.flush(20)
            raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(KafkaCommitter, "_send", cut)
        with pytest.raises(Cut):
            provider.create_committer(CommitContext("job", 1)).commit(messages)


@pytest.mark.parametrize("broker", BROKERS)
@pytest.mark.parametrize("guarantee", ["exactly-once", "transactional"])
@pytest.mark.parametrize("after", [0, 1, 17, 40])
def test_a_commit_that_was_cut_off_goes_on_behind_its_last_message(
    broker: str, guarantee: str, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # These brokers show messages of transactions that were taken back, too, so these are written.
    topic = new_topic(broker)
    provider = sink(broker, topic, tmp_path, sink__delivery_guarantee=guarantee)
    messages = write_rows(provider, CASE.row_type, [ROWS], epoch=1)
    commit_and_cut(provider, messages, after, monkeypatch)
    assert len(ids(broker, topic)) == after
    produce(broker, topic, [b"of somebody else"] * 300, 1)
    provider.create_committer(CommitContext("job", 1)).commit(messages)
    assert ids(broker, topic) == Counter(number for number, _ in ROWS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("guarantee", ["exactly-once", "at-least-once"])
def test_a_header_of_a_row_is_not_taken_for_that_of_a_commit(guarantee: str, tmp_path: Path) -> None:
    # Readers leave out messages whose sequence they have seen.
    topic, context = new_topic("tansu"), CommitContext("job", 1)
    provider = sink("tansu", topic, tmp_path, sink__delivery_guarantee=guarantee)
    file = provider.folder.new_file(context)
    headers = [[(HEADER, b"7 0 other"), ("x", b"y")]] * 3
    file.write(pa.RecordBatch.from_arrays([pa.nulls(3, pa.binary()), [b"1", b"2", b"3"], [0] * 3, [None] * 3, headers], schema=MESSAGES))
    file.close()
    provider.create_committer(context).commit([StagedMessages(str(file.path), {0: 3}, {0: 0})])
    own = [[(HEADER, b"1 %d job" % number)] if guarantee == "exactly-once" else [] for number in range(3)]
    assert [message.headers() for message in stored("tansu", topic)] == [[("x", b"y"), *each] for each in own]


def test_a_writer_whose_transaction_another_one_has_ended_writes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = new_topic("tansu")
    provider = sink("tansu", topic, tmp_path, sink__delivery_guarantee="transactional")
    messages = write_rows(provider, CASE.row_type, [ROWS], epoch=1)
    original, sent = KafkaCommitter._send, 0

    def stopped(self: Any, client: Any, producer: Any, *arguments: Any) -> None:
        nonlocal sent
        sent += 1
        original(self, client, producer, *arguments)
        if sent == 10:  # it is stopped here, and continues after another process has committed
            producer.flush(20)
            monkeypatch.setattr(KafkaCommitter, "_send", original)
            provider.create_committer(CommitContext("job", 1)).commit(messages)

    monkeypatch.setattr(KafkaCommitter, "_send", stopped)
    # The error differs by whether the broker has answered before the next message.
    with pytest.raises(TableRuntimeException, match=r"FENCED|_STATE|INVALID_PRODUCER_EPOCH|_PURGE") as caught:
        provider.create_committer(CommitContext("job", 1)).commit(messages)
    assert "another process writes this job's rows" in (caught.value.hint or "")
    assert ids("tansu", topic) == Counter(number for number, _ in ROWS)


def test_a_transaction_that_the_broker_limits_more_is_an_error(tmp_path: Path) -> None:
    topic = new_topic("mock")
    options = {"sink__delivery_guarantee": "transactional", "properties__transaction__timeout__ms": "1"}
    provider = sink("mock", topic, tmp_path, **options)
    messages = write_rows(provider, CASE.row_type, [ROWS])
    with pytest.raises(TableRuntimeException, match=r"transaction\.timeout\.ms"):
        provider.create_committer(CommitContext("job")).commit(messages)


def test_epochs_of_one_process_are_transactions_of_one_producer(tmp_path: Path) -> None:
    topic = new_topic("tansu")
    provider = sink("tansu", topic, tmp_path, sink__delivery_guarantee="transactional")
    assert provider.delivery.name == "EXACTLY_ONCE"
    for epoch in range(3):
        messages = write_rows(provider, CASE.row_type, [ROWS[epoch * 10 : epoch * 10 + 10]], epoch=epoch)
        provider.create_committer(CommitContext("job", epoch)).commit(messages)
        provider.create_committer(CommitContext("job", epoch)).commit(messages)
    assert ids("tansu", topic) == Counter(range(30))


def test_a_commit_without_exactly_once_repeats_and_has_no_header(tmp_path: Path) -> None:
    topic = new_topic("tansu")
    provider = sink("tansu", topic, tmp_path, sink__delivery_guarantee="at-least-once")
    messages = write_rows(provider, CASE.row_type, [ROWS])
    provider.create_committer(CommitContext("job")).commit(messages)
    found = stored("tansu", topic)
    assert len(found) == len(ROWS)
    assert not any(message.headers() for message in found)


def test_a_commit_whose_file_is_lost_is_an_error_unless_all_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = new_topic("tansu")
    provider = sink("tansu", topic, tmp_path)
    messages = write_rows(provider, CASE.row_type, [ROWS], epoch=1)
    commit_and_cut(provider, messages, 10, monkeypatch)
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    file.unlink()
    committer = provider.create_committer(CommitContext("job", 1))
    with pytest.raises(TableRuntimeException, match="is not on this machine") as caught:
        committer.commit(messages)
    assert "'sink.staging-directory'" in (caught.value.hint or "")
    file.write_bytes(content)
    committer.commit(messages)
    committer.commit(messages)
    assert ids("tansu", topic) == Counter(number for number, _ in ROWS)


def test_a_broker_that_goes_away_before_the_commit_is_an_error(tmp_path: Path) -> None:
    broker = Tansu()
    try:
        options = options_of("tansu", "orders", sink__staging_directory=str(tmp_path), properties__default__api__timeout__ms="500")
        provider = sink_of(CASE, options | {"properties.bootstrap.servers": broker.servers})
        messages = write_rows(provider, CASE.row_type, [ROWS])
        broker.kill()
        with pytest.raises(TableRuntimeException, match=f"Kafka at {broker.servers} cannot be reached"):
            provider.create_committer(CommitContext("job")).commit(messages)
        assert list(tmp_path.iterdir()), "the rows are there for the next attempt"
    finally:
        broker.kill()
