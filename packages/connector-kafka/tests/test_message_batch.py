"""Batches of messages."""

from __future__ import annotations

import pyarrow as pa
import pytest
from confluent_kafka import Message

from connector_kafka import message_batch
from connector_kafka.message_batch import MessageBatch


def messages(*offsets: int) -> list[Message]:
    values = {offset: None if offset % 5 == 0 else b"v%d" % offset for offset in offsets}
    return [Message(topic="t", partition=1, offset=offset, key=b"k%d" % offset, value=value) for offset, value in values.items()]


def batch_of(*parts: list[Message]) -> MessageBatch:
    batch = MessageBatch("t", 1, has_keys=True, metadata=[("offset", pa.int64()), ("topic", pa.string())])
    for part in parts:
        batch.add(part)
    return batch


@pytest.mark.parametrize("sizes", [(6,), (1, 5), (2, 2, 2)])
def test_messages_of_several_calls_follow_each_other(sizes: tuple[int, ...]) -> None:
    offsets = [3, 4, 5, 8, 9, 20]
    given, parts = messages(*offsets), []
    for size in sizes:
        parts.append(given[:size])
        given = given[size:]
    batch = batch_of(*parts)
    assert len(batch) == 6
    assert batch.values.to_pylist() == [b"v3", b"v4", None, b"v8", b"v9", None]
    assert batch.keys.to_pylist() == [b"k%d" % offset for offset in offsets]
    assert batch.metadata(0).to_pylist() == offsets
    assert batch.metadata(1).to_pylist() == ["t"] * 6
    assert [batch.place(position) for position in range(6)] == [f"Topic 't', partition 1, offset {offset}" for offset in offsets]


def test_a_batch_is_full_after_many_messages_or_bytes_or_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(messages(1, 2))
    assert not batch.is_full(3)
    assert batch.is_full(2)
    monkeypatch.setattr(message_batch, "_MOST_BYTES", 8)
    assert batch.is_full(3)
    monkeypatch.undo()
    monkeypatch.setattr(message_batch, "_MOST_SECONDS", 0.0)
    assert batch.is_full(3)
    assert not batch_of().is_full(3)
