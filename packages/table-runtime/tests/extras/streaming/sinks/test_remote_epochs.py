"""Epochs on a remote file system: one journal publishes them, whoever finishes it, and whenever a process died."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from fsspec.core import url_to_fs
from fsspec.implementations.memory import MemoryFileSystem

from table_common import arrow
from table_common.connector import CommitContext, FileScanProvider, FileSinkProvider, PartitionCommit, RollingPolicy, WriterContext
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.files import TableFiles, begin_change, remote, remote_folder
from table_runtime.files.partition_commit import END_OF_TIME
from table_runtime.streaming.sinks.file_epochs import EPOCHS, FileEpochs

ROW = RowType.of([("a", parse_logical_type("INT"))], nullable=False)


class Table:
    """A table of one column, written epoch by epoch."""

    def __init__(self) -> None:
        self.url = f"memory://{uuid.uuid4().hex}/t"
        self.system, self.root = url_to_fs(self.url)
        self.provider = FileEpochs(FileSinkProvider(self.url, "json", ROW, rolling=RollingPolicy()))

    def write(self, epoch: int, *numbers: int, task: int = 0, job: str = "job") -> Any:
        writer = self.provider.create_writer(WriterContext(job, epoch, task))
        writer.write(arrow.from_python_rows([(number,) for number in numbers], ROW))
        return writer.prepare_commit()

    def commit(self, epoch: int, *messages: Any, job: str = "job") -> None:
        self.provider.create_committer(CommitContext(job, epoch)).commit(messages)

    @property
    def rows(self) -> list[int]:
        files = TableFiles(FileScanProvider((self.url,), "json", ROW, ROW), "t")
        return sorted(row["a"] for file in files.listed() for piece in files.pieces(file) for row in piece().to_pylist())

    @property
    def hidden(self) -> list[str]:
        names = (path[len(self.root) :].strip("/") for path in self.system.find(self.root))
        return sorted(name for name in names if name.startswith("."))


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def all_others_are_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_folder, "is_alive", lambda _: False)


def dies(*_: Any, **__: Any) -> None:
    raise OSError("killed")


def test_the_size_of_an_open_file_is_not_asked_of_the_store(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_such_file(_: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(remote.RemoteFile, "stat", no_such_file)
    message = table.write(0, 1)
    monkeypatch.undo()
    table.commit(0, message)
    assert table.rows == [1]


@pytest.mark.usefixtures("all_others_are_dead")
def test_another_job_leaves_what_a_dead_process_has_decided_to_commit(table: Table) -> None:
    message = table.write(0, 1)
    begin_change(table.url, "other").abort()  # it cleans up what dead jobs left
    table.commit(0, message)
    assert table.rows == [1]


@pytest.mark.parametrize("step", ["mv", "rm"])
def test_tasks_of_an_epoch_are_visible_together_though_the_process_dies(table: Table, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = [table.write(0, task, task=task) for task in range(3)]
    monkeypatch.setattr(MemoryFileSystem, step, dies)
    if step == "mv":
        with pytest.raises(TableRuntimeException, match="killed"):
            table.commit(0, *messages)
    assert table.rows in ([], [0, 1, 2])
    monkeypatch.undo()
    table.commit(0, *messages)
    assert table.rows == [0, 1, 2]
    assert table.hidden == [f"{EPOCHS}/job/committed.json"]


def finished_by(table: Table, job: Callable[[], None], messages: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits, dies after the journal, and lets another job finish the change."""
    monkeypatch.setattr(MemoryFileSystem, "mv", dies)
    with pytest.raises(TableRuntimeException, match="killed"):
        table.commit(0, *messages)
    monkeypatch.undo()
    job()


def test_an_epoch_that_another_job_has_finished_and_replaced_does_not_come_back(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = [table.write(0, 1)]

    def replace() -> None:
        change = begin_change(table.url, "other")
        with change.path_of("new.json").open("wb") as file:
            file.write(b'{"a": 9}\n')
        change.commit(lambda names: list(names))

    finished_by(table, replace, messages, monkeypatch)
    assert table.rows == [9]
    table.commit(0, *messages)
    assert table.rows == [9]


def test_a_commit_removes_what_other_attempts_and_runs_have_staged(table: Table) -> None:
    table.write(0, 8)
    reported = table.write(1, 1)
    table.write(1, 9)
    later = table.write(2, 2)
    table.commit(1, reported)
    assert table.rows == [1]
    assert sorted({name.split("/")[2].split("-")[0] for name in table.hidden}) == ["2", "committed.json"]
    table.commit(2, later)
    assert table.rows == [1, 2]


def test_a_file_that_is_lost_is_an_error(table: Table) -> None:
    message = table.write(0, 1)
    table.system.rm(f"{table.root}/{EPOCHS}", recursive=True)
    with pytest.raises(TableRuntimeException, match=r"lacks the file 'part-job-0-0-0\.json' of a job, and it is not staged as"):
        table.commit(0, message)


def test_a_damaged_note_is_an_error(table: Table) -> None:
    table.commit(0, table.write(0, 1))
    table.system.pipe_file(f"{table.root}/{EPOCHS}/job/committed.json", b"{")
    with pytest.raises(TableRuntimeException, match=r"committed\.json' is damaged"):
        table.commit(1, table.write(1, 2))


def test_a_journal_that_was_left_does_not_take_the_note_back(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of the first releases have it elsewhere, so a repeated commit does not end it."""
    messages = [table.write(0, 1)]
    finished_by(table, lambda: None, messages, monkeypatch)
    table.system.mv(f"{table.root}/.table-changes/job-0", f"{table.root}/.staging-job-0", recursive=True)
    assert table.rows == [1]
    table.commit(0, *messages)
    table.commit(1, table.write(1, 2))
    begin_change(table.url, "other").abort()
    assert table.rows == [1, 2]
    assert table.hidden == [f"{EPOCHS}/job/committed.json"]
    assert json.loads(table.system.cat_file(f"{table.root}/{EPOCHS}/job/committed.json"))["epoch"] == 1


def test_a_partition_is_marked_with_its_last_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    days = RowType.of([(name, parse_logical_type("STRING")) for name in ("a", "day")], nullable=False)
    url = f"memory://{uuid.uuid4().hex}/t"
    system, root = url_to_fs(url)
    provider = FileEpochs(FileSinkProvider(url, "json", days, partition_keys=("day",), partition_commit=PartitionCommit("partition-time")))

    def run(epoch: int, watermark: int, *rows: tuple[str, str]) -> None:
        writer = provider.create_writer(WriterContext("job", epoch))
        if rows:
            writer.write(arrow.from_python_rows(rows, days))
        writer.write_watermark(watermark)
        provider.create_committer(CommitContext("job", epoch)).commit([writer.prepare_commit()])

    def marked() -> list[str]:
        return sorted(path[len(root) :].strip("/") for path in system.find(root) if path.endswith("_SUCCESS"))

    run(0, 0, ("x", "1970-01-01"), ("y", "1970-01-02"))
    assert marked() == []
    run(1, 1)
    assert marked() == ["day=1970-01-01/_SUCCESS"]
    run(2, END_OF_TIME)
    assert marked() == ["day=1970-01-01/_SUCCESS", "day=1970-01-02/_SUCCESS"]
    assert not [path for path in system.find(root) if ".table-changes" in path]


def test_an_abandoned_epoch_leaves_nothing(table: Table) -> None:
    message = table.write(0, 1)
    table.provider.create_committer(CommitContext("job", 0)).abort([message])
    assert table.hidden == []


def test_what_a_dead_run_has_staged_is_discarded_without_its_messages(table: Table) -> None:
    table.write(0, 1)
    table.provider.create_committer(CommitContext("job", 0)).abort([])
    assert table.hidden == []


def test_notes_of_jobs_that_write_no_more_are_forgotten(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.commit(0, table.write(0, 1, job="old"), job="old")
    undecided = table.write(5, 5, job="waiting")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 8 * 86_400)
    table.commit(0, table.write(0, 2))
    assert sorted({name.split("/")[1] for name in table.hidden}) == ["job", "waiting"]
    table.commit(5, undecided, job="waiting")
    assert table.rows == [1, 2, 5]


def test_the_note_has_the_last_epoch(table: Table) -> None:
    for epoch in (0, 7):
        table.commit(epoch, table.write(epoch, epoch))
        note = json.loads(table.system.cat_file(f"{table.root}/{EPOCHS}/job/committed.json"))
        assert note == {"epoch": epoch, "partitions": {}}
