from __future__ import annotations

import threading

import pyarrow as pa

from table_runtime.streaming.job.in_process.mailbox import CAPACITY_ROWS, CaughtUp, Mailbox, ReadRows, SourceEnded, SourceQueue

BATCH = pa.record_batch({"a": pa.array(range(100))})
LARGE = pa.record_batch({"a": pa.array(range(CAPACITY_ROWS))})


def queue() -> SourceQueue:
    return SourceQueue(Mailbox())


def test_rows_wait_for_others_unless_they_are_enough_or_there_is_nothing_more() -> None:
    source = queue()
    assert source.ready_in(1000, 5.0, waits_when_caught_up=False) is None
    source.put(ReadRows("s", BATCH))
    left = source.ready_in(1000, 5.0, waits_when_caught_up=False)
    assert left is not None
    assert 0 < left <= 5.0
    assert source.ready_in(100, 5.0, waits_when_caught_up=False) == 0.0
    assert source.ready_in(1000, 0.0, waits_when_caught_up=False) == 0.0
    source.put(CaughtUp(None, 1))
    assert source.ready_in(1000, 5.0, waits_when_caught_up=False) == 0.0
    assert source.ready_in(1000, 5.0, waits_when_caught_up=True) != 0.0
    source.put(SourceEnded())
    assert source.ready_in(1000, 5.0, waits_when_caught_up=True) == 0.0


def test_of_the_times_at_which_there_was_nothing_the_last_one_stays() -> None:
    source = queue()
    for item in (CaughtUp(("s",), 1), CaughtUp(None, 2), CaughtUp(None, 3)):
        source.put(item)
    assert source.first() == CaughtUp(("s",), 1)
    source.take()
    assert source.first() == CaughtUp(None, 3)


def test_the_rest_of_an_item_stays_first() -> None:
    source = queue()
    source.put(ReadRows("s", BATCH))
    source.replace(ReadRows("s", BATCH.slice(60)))
    first = source.first()
    assert isinstance(first, ReadRows)
    assert first.batch.num_rows == 40
    source.take()
    assert source.first() is None


def test_a_reader_waits_while_its_queue_is_full_and_ends_when_it_is_stopped() -> None:
    source, results = queue(), list[bool]()
    source.put(ReadRows("s", LARGE))
    thread = threading.Thread(target=lambda: results.append(source.put(ReadRows("s", BATCH))))
    thread.start()
    thread.join(0.1)
    assert thread.is_alive()
    source.take()
    thread.join(5)
    assert results == [True]
    source.put(ReadRows("s", LARGE))
    source.stop()
    assert source.put(ReadRows("s", BATCH)) is False
    assert source.first() is None


def test_a_closed_queue_keeps_its_items_and_takes_no_more() -> None:
    source = queue()
    source.put(ReadRows("s", BATCH))
    source.close()
    assert source.put(ReadRows("s", BATCH)) is False
    source.take()
    assert source.first() is None


def test_the_first_failure_counts() -> None:
    mailbox = Mailbox()
    first = ValueError()
    mailbox.fail(first)
    mailbox.fail(KeyError())
    assert mailbox.failure is first
