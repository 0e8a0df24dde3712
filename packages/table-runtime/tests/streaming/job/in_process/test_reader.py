from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.types import BigIntType, RowType
from table_runtime.run.execution import ExecutionContext
from table_runtime.scans.scan_offsets import ScanOffsets
from table_runtime.streaming.job.in_process.mailbox import (
    CaughtUp,
    Mailbox,
    RangeFinished,
    RangeStarted,
    ReaderEvent,
    ReadRows,
    SourceEnded,
    SourceOpened,
)
from table_runtime.streaming.job.in_process.reader import ReaderThread
from table_testing.line_log import LineLog, append_lines

Eventually = Callable[[Callable[[], bool]], None]
ROW = RowType.of([("a", BigIntType())], nullable=False)
SCHEMA = pa.schema([("a", pa.int64())])


@pytest.fixture
def read(tmp_path: Path) -> Iterator[Callable[..., ReaderThread]]:
    started: list[ReaderThread] = []

    def start(position: dict[str, Any], mailbox: Mailbox, *, bounded: bool = True, splits: Sequence[str] = ()) -> ReaderThread:
        scan = ScanOffsets(LineLog(str(tmp_path), ROW, bounded=bounded), ROW, SCHEMA, "t", "log", changes=False)
        reader = ReaderThread(scan, position, mailbox, ExecutionContext(), "reader", splits)
        started.append(reader)
        reader.start()
        return reader

    yield start
    for reader in started:
        reader.stop()


def taken(reader: ReaderThread, eventually: Eventually, last: type[ReaderEvent]) -> list[ReaderEvent]:
    items: list[ReaderEvent] = []

    def take() -> bool:
        while (item := reader.queue.first()) is not None:
            reader.queue.take()
            items.append(item)
        return any(isinstance(item, last) for item in items)

    eventually(take)
    return items


def values(items: list[ReaderEvent]) -> list[int]:
    return [value for item in items if isinstance(item, ReadRows) for value in item.batch.column(0).to_pylist()]


def test_ranges_are_read_one_after_the_other(read: Callable[..., ReaderThread], tmp_path: Path, eventually: Eventually) -> None:
    append_lines(tmp_path, "0", [[1], [2]])
    append_lines(tmp_path, "1", [[3]])
    items = taken(read({}, Mailbox()), eventually, SourceEnded)
    opened, began, *_, finished, ended = items
    assert opened == SourceOpened(("0", "1"), {})
    assert isinstance(began, RangeStarted)
    assert began.splits == ("0", "1")
    assert isinstance(finished, RangeFinished)
    assert json.loads(json.dumps(finished.offset)) == began.end
    assert isinstance(ended, SourceEnded)
    assert values(items) == [1, 2, 3]


def test_a_range_that_was_begun_goes_on_behind_its_rows(read: Callable[..., ReaderThread], tmp_path: Path, eventually: Eventually) -> None:
    append_lines(tmp_path, "0", [[1], [2], [3]])
    began = taken(read({}, Mailbox()), eventually, SourceEnded)[1]
    assert isinstance(began, RangeStarted)
    append_lines(tmp_path, "0", [[4]])
    items = taken(read({"offset": began.start, "end": began.end, "rows": 2}, Mailbox()), eventually, SourceEnded)
    assert values(items) == [3, 4]


def test_a_source_that_goes_on_says_when_it_has_caught_up(
    read: Callable[..., ReaderThread], tmp_path: Path, eventually: Eventually
) -> None:
    reader = read({}, Mailbox(), bounded=False)
    opened, caught_up, *_ = taken(reader, eventually, CaughtUp)
    assert opened == SourceOpened((), {})
    assert isinstance(caught_up, CaughtUp)
    assert caught_up.splits is None
    append_lines(tmp_path, "0", [[1]])
    assert values(taken(reader, eventually, RangeFinished)) == [1]
    append_lines(tmp_path, "1", [[2]])
    items = taken(reader, eventually, RangeFinished)
    assert ("0",) in [item.splits for item in items if isinstance(item, CaughtUp)], "a split without rows in a range waits for rows"


def test_a_source_without_rows_says_so_again(read: Callable[..., ReaderThread], eventually: Eventually) -> None:
    reader, times = read({}, Mailbox(), bounded=False), set[int]()

    def is_told() -> bool:
        if isinstance(item := reader.queue.first(), CaughtUp):
            times.add(item.at)
        reader.queue.take()
        return len(times) > 2

    eventually(is_told)


def test_a_source_without_rows_is_asked_less_often(
    read: Callable[..., ReaderThread], eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def wait(log: LineLog, start: object, seconds: float) -> bool:
        waits.append(seconds)
        return len(waits) == 5  # there may be rows: it starts over

    monkeypatch.setattr(LineLog, "wait", wait)
    read({}, Mailbox(), bounded=False)
    eventually(lambda: len(waits) > 8)
    assert waits[:8] == [0.05, 0.1, 0.2, 0.2, 0.2, 0.05, 0.1, 0.2]


def test_a_split_with_rows_that_a_range_leaves_out_has_not_caught_up(
    read: Callable[..., ReaderThread], tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LineLog, "pending_rows", lambda log, start: {"1": 5, "2": 0})
    append_lines(tmp_path, "0", [[1]])
    items = taken(read({}, Mailbox(), splits=["1", "2"]), eventually, SourceEnded)
    assert [item.splits for item in items if isinstance(item, CaughtUp)] == [("2",)]


def test_splits_of_the_state_are_waited_for(read: Callable[..., ReaderThread], tmp_path: Path, eventually: Eventually) -> None:
    append_lines(tmp_path, "0", [[1]])
    _, began, caught_up, *_ = taken(read({}, Mailbox(), splits=["1"]), eventually, SourceEnded)
    assert isinstance(began, RangeStarted)
    assert isinstance(caught_up, CaughtUp)
    assert (began.splits, caught_up.splits) == (("0", "1"), ("1",))


def test_a_failure_names_the_table(read: Callable[..., ReaderThread], tmp_path: Path, eventually: Eventually) -> None:
    (tmp_path / "0.jsonl").write_text("no JSON\n")
    mailbox = Mailbox()
    read({}, mailbox)
    eventually(lambda: mailbox.failure is not None)
    assert isinstance(mailbox.failure, TableRuntimeException)
    assert "Reading t failed: JSONDecodeError" in str(mailbox.failure)


@pytest.fixture
def committed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The offsets that a source was told are committed."""
    offsets: list[Any] = []
    monkeypatch.setattr(LineLog, "commit", lambda _, end: offsets.append(end))
    return offsets


def test_a_source_without_new_rows_hears_what_is_committed(
    read: Callable[..., ReaderThread], eventually: Eventually, committed: list[Any]
) -> None:
    reader = read({}, Mailbox(), bounded=False)
    taken(reader, eventually, CaughtUp)
    reader.commit({"0": 4})
    eventually(lambda: committed == [{"0": 4}])


def test_a_source_hears_what_the_last_epoch_commits(
    read: Callable[..., ReaderThread], tmp_path: Path, eventually: Eventually, committed: list[Any]
) -> None:
    append_lines(tmp_path, "0", [[1]])
    reader = read({}, Mailbox(), bounded=False)
    taken(reader, eventually, CaughtUp)
    reader.finish()
    reader.commit({"0": 4})
    reader.stop()
    assert committed == [{"0": 4}]


def test_failures_of_a_source_that_is_not_read_any_more_do_not_matter(
    read: Callable[..., ReaderThread], tmp_path: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def away(*_: Any) -> bool:
        asked.append(1)
        time.sleep(0.05)
        raise ConnectionResetError("the source is away")

    mailbox = Mailbox()
    monkeypatch.setattr(LineLog, "wait", away)
    reader = read({}, mailbox, bounded=False)
    eventually(lambda: asked != [])
    reader.finish()
    reader.stop()
    assert mailbox.failure is None
