from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa

from table_runtime.batch.values import Values
from table_runtime.streaming.graph.graph import Source
from table_runtime.streaming.job.in_process.mailbox import (
    CaughtUp,
    Mailbox,
    RangeFinished,
    RangeStarted,
    ReadRows,
    SourceEnded,
    SourceOpened,
    SourceQueue,
)
from table_runtime.streaming.job.in_process.source_input import BatchingPolicy, SourceInput

SCHEMA = pa.schema([("a", pa.int64())])
POLICY = BatchingPolicy(5, 0.0)


class Order:
    """Records what it is told."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return lambda number, split="", *more: self.log.append(" ".join(map(str, (name, split, *more))))


def source(
    position: dict[str, Any] | None = None, *, has_kinds: bool = False, splits: Sequence[str] = ()
) -> tuple[SourceInput, SourceQueue, Order]:
    queue, order = SourceQueue(Mailbox()), Order()
    scan = Source(cast("Values", None), SCHEMA, has_kinds)
    opened = SourceInput(0, scan, cast("Any", SimpleNamespace(queue=queue)), position or {}, cast("Any", order), splits)
    return opened, queue, order


def rows(*values: int, split: str = "s") -> ReadRows:
    return ReadRows(split, pa.record_batch([pa.array(values, pa.int64())], schema=SCHEMA))


def values(opened: SourceInput) -> list[int]:
    taken = opened.take(POLICY)
    assert taken.changes is not None
    return taken.changes.rows.column(0).to_pylist()


def test_batches_of_a_split_are_taken_together_up_to_the_most_rows() -> None:
    opened, queue, order = source()
    for item in (RangeStarted(("s", "t"), 0, 9), rows(1, 2), rows(3), rows(4, 5, 6, split="t"), RangeFinished(9), rows(*range(10, 17))):
        queue.put(item)
    assert values(opened) == [1, 2, 3]
    assert opened.position == {"offset": 0, "end": 9, "rows": 3}
    assert values(opened) == [4, 5, 6]
    assert opened.position == {"offset": 9}, "the end of the range was taken with its last rows"
    assert values(opened) == [10, 11, 12, 13, 14]
    assert values(opened) == [15, 16]
    assert order.log[:4] == ["split_began s", "split_began t", "split_ended ", "has_rows s"]
    assert opened.metrics.rows == 13


def test_rows_behind_other_items_wait_for_company() -> None:
    opened, queue, _ = source()
    policy = BatchingPolicy(3, 1000.0, waits_when_caught_up=True)
    queue.put(RangeStarted(("s",), 0, 9))
    assert opened.ready_in(policy) == 0.0
    queue.put(rows(1, 2))
    assert opened.take(policy).changes is None
    assert opened.position == {"offset": 0, "end": 9}
    queue.put(rows(3))
    taken = opened.take(policy).changes
    assert taken is not None
    assert taken.num_rows == 3


def test_a_mini_batch_has_its_size_although_the_end_was_reached_for_a_while() -> None:
    opened, queue, order = source()
    policy = BatchingPolicy(4, 1000.0, waits_when_caught_up=True)
    for item in (RangeStarted(("s",), 0, 3), rows(1, 2, 3), RangeFinished(3), CaughtUp(("s", "t"), 7)):
        queue.put(item)
    assert opened.ready_in(policy)
    for item in (RangeStarted(("s",), 3, 5), rows(4, 5), RangeFinished(5), CaughtUp(("s",), 8)):
        queue.put(item)
    taken = opened.take(policy).changes
    assert taken is not None
    assert taken.rows.column(0).to_pylist() == [1, 2, 3, 4]
    assert opened.position == {"offset": 3, "end": 5, "rows": 1}
    assert order.log[-2:] == ["has_rows s", "caught_up t 7"]
    assert opened.ready_in(policy)


def test_the_position_in_a_restored_range_counts_on() -> None:
    opened, queue, _ = source({"offset": 0, "end": 9, "rows": 4})
    queue.put(RangeStarted(("s",), 0, 9))
    queue.put(rows(1))
    opened.take(POLICY)
    assert opened.position == {"offset": 0, "end": 9, "rows": 5}


def test_a_range_that_cannot_be_read_again_is_finished_before_an_epoch_ends() -> None:
    opened, queue, _ = source()
    for item in (RangeStarted(("s",), 0, 9, is_repeatable=False), rows(*range(7))):
        queue.put(item)
    assert values(opened) == [0, 1, 2, 3, 4]
    assert opened.must_finish_range
    queue.put(RangeFinished(9))
    assert values(opened) == [5, 6]
    assert not opened.must_finish_range
    queue.put(RangeStarted(("s",), 9, 12, is_repeatable=False))
    assert opened.take(POLICY).changes is None
    assert opened.position == {"offset": 9}, "the next run asks again where the range ends"


def test_splits_catch_up_after_their_rows() -> None:
    opened, queue, order = source()
    queue.put(RangeStarted(("s",), 0, 1))
    queue.put(rows(1))
    queue.put(CaughtUp(None, 7))
    opened.take(POLICY)
    assert "caught_up s 7" not in order.log
    assert opened.take(POLICY).changes is None
    assert order.log[-1] == "caught_up s 7"


def test_splits_of_the_state_and_of_the_source_are_known_before_its_rows() -> None:
    opened, queue, order = source(splits=["r"])
    assert order.log == ["split_began r", "split_ended "]
    queue.put(SourceOpened(("r", "s"), 3))
    assert opened.take(POLICY).changes is None
    assert order.log[2:] == ["split_began s"]
    assert opened.position == {"offset": 3}, "a run that follows begins there too"


def test_an_offset_of_a_checkpoint_stays_when_the_source_opens() -> None:
    opened, queue, _ = source({"offset": 0, "end": 9, "rows": 4})
    queue.put(SourceOpened(("s",), 0))
    opened.take(POLICY)
    assert opened.position == {"offset": 0, "end": 9, "rows": 4}


def test_the_end_comes_after_all_rows() -> None:
    opened, queue, _ = source()
    queue.put(rows(1))
    queue.put(SourceEnded())
    assert not opened.take(POLICY).has_ended
    assert opened.take(POLICY).has_ended
    opened.end()
    assert opened.position == {"rows": 1, "ended": True}


def test_metrics_have_the_watermark_and_the_lag_of_each_split() -> None:
    reader = cast("Any", SimpleNamespace(queue=SourceQueue(Mailbox()), pending={"s": 3, "t": 0}))
    scan = Source(cast("Values", None), SCHEMA, False)
    opened = SourceInput(0, scan, reader, {}, cast("Any", Order()), watermarks=lambda: {"s": 7000})
    reader.queue.put(RangeFinished(9, ignored=2))
    opened.take(POLICY)
    values = dict(opened.metrics.values())
    del values["millisecondsWithoutRows"]
    lags = {"pendingRecords": 3, "s.pendingRecords": 3, "t.pendingRecords": 0}
    assert values == {"numRecordsOut": 0, "numRecordsInErrors": 2, **lags, "s.currentWatermark": 7000}


def test_numbers_of_changes_become_kinds() -> None:
    opened, queue, _ = source(has_kinds=True)
    batch = pa.record_batch({"a": pa.array([7, 7]), "n": pa.array([0, 4 + 3])})
    queue.put(ReadRows("", batch))
    taken = opened.take(POLICY)
    assert taken.changes is not None
    assert taken.changes.kinds is not None
    assert np.array_equal(taken.changes.kinds, [0, 3])
