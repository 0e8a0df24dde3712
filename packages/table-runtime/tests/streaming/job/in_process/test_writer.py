"""The thread of the sinks, and the writes to one sink."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import ArrowSinkProvider, CommitContext, SinkCommitter, SinkWriter, WriterContext
from table_common.exceptions import TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.job.epoch import Epoch
from table_runtime.streaming.job.in_process.mailbox import Mailbox
from table_runtime.streaming.job.in_process.writer import EndOfEpoch, WriterThread
from table_runtime.streaming.job.sink_epochs import SinkEpochs

BATCH = pa.record_batch({"a": [1, 2]})


class Log(ArrowSinkProvider):
    """Records the calls; fails where ``fails`` says."""

    def __init__(self, fails: str = "") -> None:
        self.log: list[str] = []
        self.fails = fails

    def note(self, text: str) -> None:
        self.log.append(text)
        if self.fails and text.startswith(self.fails):
            raise OSError(self.fails)

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return Writer(self, context.epoch)

    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return Committer(self, context.epoch)


class Writer(SinkWriter):
    def __init__(self, log: Log, epoch: int) -> None:
        self.log, self.epoch, self.rows = log, epoch, 0

    def write(self, batch: Any) -> None:
        self.rows += batch.num_rows
        self.log.note(f"write {self.epoch}")

    def prepare_commit(self) -> Any:
        self.log.note(f"prepare {self.epoch}")
        return self.rows

    def abort(self) -> None:
        self.log.note(f"abort {self.epoch}")


class Committer(SinkCommitter):
    def __init__(self, log: Log, epoch: int) -> None:
        self.log, self.epoch = log, epoch

    def commit(self, messages: Any) -> None:
        self.log.note(f"commit {self.epoch} {list(messages)}")

    def abort(self, messages: Any) -> None:
        self.log.note(f"discard {self.epoch} {list(messages)}")


@pytest.fixture
def start() -> Iterator[Callable[..., WriterThread]]:
    writers: list[tuple[WriterThread, Mailbox]] = []

    def make(*logs: Log, epoch: int = 5) -> WriterThread:
        mailbox, context = Mailbox(), ExecutionContext()
        sinks = [SinkEpochs(log, f"t{number}", f"job-{number}", context) for number, log in enumerate(logs)]
        writer = WriterThread(sinks, mailbox, context, epoch=epoch, name="writer")
        writers.append((writer, mailbox))
        writer.start()
        return writer

    yield make
    for writer, mailbox in writers:
        mailbox.close()
        writer.stop(5)


class End(EndOfEpoch):
    """The end of an epoch without event time, which ``begins`` or continues."""

    def __init__(self, writer: WriterThread, number: int, *, begins: bool = True, committed: Callable[[], None] = lambda: None) -> None:
        super().__init__(Epoch(number, writer._sinks), [None] * len(writer._sinks))
        self.begins = begins
        self.call = committed

    def begin(self) -> bool:
        if not self.begins:
            self.epoch.give_back()
        return self.begins

    def committed(self) -> None:
        self.call()


def test_an_epoch_is_prepared_and_committed(start: Callable[..., WriterThread]) -> None:
    first, second = Log(), Log()
    writer = start(first, second)
    writer.write(0, BATCH)
    writer.write(0, BATCH)
    writer.end_epoch(End(writer, 5, committed=lambda: first.note("done")))
    writer.write(1, BATCH)
    writer.end_epoch(End(writer, 6))
    writer.finish()
    assert first.log == ["write 5", "write 5", "prepare 5", "commit 5 [4]", "done"]
    assert second.log == ["write 6", "prepare 6", "commit 6 [2]"]
    assert writer.ending_epochs == 0


def test_what_waits_for_the_end_of_the_thread_is_called_behind_its_last_write(start: Callable[..., WriterThread]) -> None:
    log = Log()
    writer = start(log)
    writer.write(0, BATCH)
    writer.when_ended(lambda: log.note("ended"))
    assert writer.is_running
    writer.end_epoch(End(writer, 5))
    writer.finish()
    writer.stop(5)
    assert not writer.is_running
    writer.when_ended(lambda: log.note("again"))
    assert log.log == ["write 5", "prepare 5", "commit 5 [2]", "ended", "again"]


def test_an_epoch_goes_on_if_its_checkpoint_failed(start: Callable[..., WriterThread]) -> None:
    log = Log()
    writer = start(log)
    writer.write(0, BATCH)
    writer.end_epoch(End(writer, 5, begins=False))
    writer.write(0, BATCH)
    writer.end_epoch(End(writer, 5))
    writer.finish()
    assert log.log == ["write 5", "write 5", "prepare 5", "commit 5 [4]"]


@pytest.mark.parametrize(
    ("fails", "log"),
    [
        ("write", ["write 5", "abort 5"]),
        ("prepare", ["write 5", "prepare 5", "abort 5"]),
        ("commit", ["write 5", "prepare 5", "commit 5 [2]"]),
    ],
)
def test_a_failure_discards_what_is_not_decided(fails: str, log: list[str], start: Callable[..., WriterThread]) -> None:
    sink = Log(fails)
    writer = start(sink)
    writer.write(0, BATCH)
    writer.end_epoch(End(writer, 5))
    with pytest.raises(TableRuntimeException, match=f"Writing t0 failed: OSError: {fails}"):
        writer.finish()
    assert sink.log == log
