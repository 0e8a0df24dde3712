"""Files that are committed by epoch: the contract of sinks, crashes between the steps, and complete partitions."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fsspec.core import url_to_fs

from table_common import arrow
from table_common.annotation import override
from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    DynamicTableSink,
    PartitionCommit,
    RollingPolicy,
    WriterContext,
    message_from_json,
    message_to_json,
)
from table_common.exceptions import TableRuntimeException
from table_common.factories import DynamicTableFactory
from table_common.frozen_dataclass import dataclass, replace
from table_runtime.connectors.filesystem import FileSystemTableFactory
from table_runtime.connectors.filesystem_sink import FileSystemTableSink
from table_runtime.files import remove_files, visible_files
from table_runtime.files.partition_commit import END_OF_TIME
from table_runtime.streaming.sinks.file_epochs import EPOCHS, FileEpochs
from table_testing import SinkCompliance
from table_testing.connector_case import repickled


@dataclass
class _EpochSink(FileSystemTableSink):
    """Gives the provider of an unbounded job."""

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> Any:
        return FileEpochs(super().get_sink_runtime_provider(context))


class EpochFactory(FileSystemTableFactory):
    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> FileSystemTableSink:
        return _EpochSink(super().create_dynamic_table_sink(context).definition)


class TestFileEpochs(SinkCompliance):
    factory = EpochFactory

    def create_table(self, folder: Path, rows: Sequence[tuple[Any, ...]]) -> Mapping[str, str]:
        (folder / "files").mkdir(exist_ok=True)
        return {"path": str(folder / "files"), "format": "json"}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        values = [json.loads(line) for _, file in visible_files(Path(options["path"])) for line in file.read_text().splitlines()]
        return [(value["id"], value.get("name"), value.get("amount")) for value in values]


class TestRemoteFileEpochs(TestFileEpochs):
    def create_table(self, folder: Path, rows: Sequence[tuple[Any, ...]]) -> Mapping[str, str]:
        system, root = url_to_fs(url := f"memory://{uuid.uuid4().hex}")
        system.pipe_file(f"{root}/.table", b"")
        return {"path": url, "format": "json"}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        system, root = url_to_fs(options["path"])
        lines = [
            line
            for path in system.find(root)
            if "/." not in path and path.endswith(".json")  # readers skip hidden files and folders
            for line in system.cat_file(path).splitlines()
        ]
        return [(value["id"], value.get("name"), value.get("amount")) for value in map(json.loads, lines)]


class Days:
    """A table of rows by day, written epoch by epoch."""

    def __init__(self, path: Path, commit: PartitionCommit | None = None, rolling: RollingPolicy | None = None) -> None:
        class Case(TestFileEpochs):
            schema = "id BIGINT NOT NULL, day STRING"
            partition_keys = ("day",)

        self.path = path
        self._row_type = Case().row_type
        found = Case().sink({"path": str(path), "format": "csv"}).get_sink_runtime_provider(DynamicTableSink.SinkContext())
        assert isinstance(found, FileEpochs)
        provider = replace(found.provider, partition_commit=commit, rolling=rolling or found.provider.rolling)
        self.provider: ArrowSinkProvider = repickled(FileEpochs(provider))

    def write(self, epoch: int, *rows: tuple[int, str], watermark: int | None = None, job: str = "job") -> list[Any]:
        writer = self.provider.create_writer(WriterContext(job, epoch))
        for row in rows:
            writer.write(arrow.from_python_rows([row], self._row_type))
        if watermark is not None:
            writer.write_watermark(watermark)
        return [repickled(writer.prepare_commit())]

    def commit(self, epoch: int, messages: list[Any], job: str = "job") -> None:
        self.provider.create_committer(CommitContext(job, epoch)).commit(messages)

    def run(self, epoch: int, *rows: tuple[int, str], watermark: int | None = None) -> None:
        self.commit(epoch, self.write(epoch, *rows, watermark=watermark))

    @property
    def rows(self) -> list[tuple[int, str]]:
        """The visible rows, with the folder that they are in."""
        found = [
            (int(line), name.partition("/")[0][4:]) for name, file in visible_files(self.path) for line in file.read_text().splitlines()
        ]
        return sorted(found)

    @property
    def marked(self) -> list[str]:
        """The partitions that are marked as complete."""
        return sorted(file.parent.name[4:] for file in self.path.glob("*/_SUCCESS"))


def milliseconds(seconds: float) -> int:
    return int(seconds * 1000)


def test_an_epoch_that_a_killed_process_prepared_is_committed_by_another(tmp_path: Path) -> None:
    table = Days(tmp_path)
    messages = table.write(0, (1, "a"), (2, "b"))
    again = Days(tmp_path)
    again.write(0, (9, "c"), job="other job")  # it cleans the table up when it begins
    again.commit(0, messages)
    assert again.rows == [(1, "a"), (2, "b")]


@pytest.mark.parametrize(
    "step",
    [
        "table_runtime.files.local_folder._link",
        "table_runtime.files.local_folder.LocalChange.publish",
        "table_runtime.files.local_folder.write_note",
        "table_runtime.files.cleaning.write_note",
    ],
)
def test_a_commit_that_was_interrupted_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    table = Days(tmp_path)
    table.run(0, (0, "a"))
    messages = table.write(1, (1, "a"), (2, "b"))

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(step, killed)
        with pytest.raises(KeyboardInterrupt):
            table.commit(1, messages)
    for _ in range(2):
        Days(tmp_path).commit(1, messages)
        assert table.rows == [(0, "a"), (1, "a"), (2, "b")]
    assert not list((tmp_path / EPOCHS / "job").glob("1-*"))


def test_an_epoch_that_was_removed_after_its_process_died_does_not_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Days(tmp_path)
    messages = table.write(0, (1, "a"), (2, "b"))

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("table_runtime.files.cleaning.write_note", killed)  # it is committed, and nothing is cleaned up
        with pytest.raises(KeyboardInterrupt):
            table.commit(0, messages)
    assert table.rows == [(1, "a"), (2, "b")]
    remove_files(str(tmp_path), "csv")
    table.commit(0, messages)
    assert table.rows == []
    table.run(1, (3, "a"))
    assert table.rows == [(3, "a")]


def test_a_commit_removes_what_other_attempts_and_runs_have_staged(tmp_path: Path) -> None:
    table = Days(tmp_path / "t")
    reported = table.write(1, (1, "a"))
    table.write(1, (2, "a"))  # another attempt
    table.write(0, (3, "a"))  # of a run that was killed before its commit
    later = table.write(2, (4, "a"))
    table.commit(1, reported)
    assert table.rows == [(1, "a")]
    folders = [path.name for path in (tmp_path / "t" / EPOCHS / "job").iterdir() if path.is_dir()]
    assert [name.split("-")[:3] for name in folders] == [["2", "0", "0"]]  # epoch, task, attempt
    table.commit(2, later)
    assert sorted(table.rows) == [(1, "a"), (4, "a")]


def test_what_a_dead_run_has_staged_is_discarded_without_its_messages(tmp_path: Path) -> None:
    table = Days(tmp_path / "t")
    table.run(0, (1, "a"))
    table.write(1, (2, "a"))
    later = table.write(2, (3, "a"))
    other = table.write(1, (4, "a"), job="other job")
    table.provider.create_committer(CommitContext("job", 1)).abort([])
    assert [path.name.split("-")[0] for path in (tmp_path / "t" / EPOCHS / "job").iterdir() if path.is_dir()] == ["2"]
    table.commit(2, later)
    table.commit(1, other, job="other job")
    assert table.rows == [(1, "a"), (3, "a"), (4, "a")]


def test_one_task_has_the_watermark_of_all(tmp_path: Path) -> None:
    table = Days(tmp_path, PartitionCommit("partition-time"))
    messages = table.write(0, (1, "2023-11-14"))
    table.commit(0, [*messages, *table.write(0, watermark=milliseconds(1_700_000_000))])
    assert table.marked == ["2023-11-14"]


@pytest.mark.parametrize(
    "part", [{"staging": "../../t"}, {"staging": "/tmp"}, {"files": ["../x"]}, {"files": ["/x"]}, {"staging": "."}, {"staging": ""}]
)
def test_a_message_that_names_files_elsewhere_is_refused(part: dict[str, Any], tmp_path: Path) -> None:
    table = Days(tmp_path / "t")
    message = message_from_json(table.provider, {**message_to_json(table.provider, table.write(1, (1, "a"))[0]), **part})
    for act in (table.commit, lambda epoch, messages: table.provider.create_committer(CommitContext("job", epoch)).abort(messages)):
        with pytest.raises(TableRuntimeException, match="which is not in the folder of the table"):
            act(1, [message])


def test_a_file_that_is_lost_is_an_error(tmp_path: Path) -> None:
    table = Days(tmp_path)
    messages = table.write(0, (1, "a"))
    for file in tmp_path.rglob("*.csv"):
        file.unlink()
    with pytest.raises(TableRuntimeException, match=r"lacks the file 'day=a/part-job-0-0-0\.csv' of a job, and it is not staged as"):
        table.commit(0, messages)


def test_a_repeated_commit_does_not_bring_removed_files_back_nor_fail(tmp_path: Path) -> None:
    table = Days(tmp_path)
    messages = table.write(0, (1, "a"))
    table.commit(0, messages)
    for _, file in visible_files(tmp_path):
        file.unlink()
    table.commit(0, messages)
    assert table.rows == []


def test_a_damaged_note_is_an_error(tmp_path: Path) -> None:
    table = Days(tmp_path)
    table.run(0, (1, "a"))
    note = tmp_path / EPOCHS / "job" / "committed.json"
    note.write_text("{")
    with pytest.raises(TableRuntimeException, match=r"committed\.json' is damaged"):
        table.run(1, (2, "a"))


def test_notes_of_jobs_that_write_no_more_are_forgotten(tmp_path: Path) -> None:
    table = Days(tmp_path)
    for job in ("old", "recent"):
        table.commit(0, table.write(0, (1, "a"), job=job), job=job)
    long_ago = time.time() - 8 * 86_400
    os.utime(tmp_path / EPOCHS / "old" / "committed.json", (long_ago, long_ago))
    table.run(0, (1, "a"))
    assert sorted(path.name for path in (tmp_path / EPOCHS).iterdir()) == ["job", "recent"]


def test_a_job_may_have_any_name(tmp_path: Path) -> None:
    table = Days(tmp_path)
    for number, job in enumerate(("orders / minute: ü", "ü" * 200, "ü" * 201)):
        table.commit(0, table.write(0, (number, "a"), job=job), job=job)
    assert table.rows == [(0, "a"), (1, "a"), (2, "a")]


def test_rolling_loses_no_rows_of_partitions(tmp_path: Path) -> None:
    rows = [(number, "a") for number in range(6)]
    for name, rolling in (("size", RollingPolicy(file_size=1)), ("age", RollingPolicy(rollover_seconds=1e-9))):
        table = Days(tmp_path / name, rolling=rolling)
        table.run(0, *rows)
        assert table.rows == rows


@pytest.mark.parametrize("rolling", [{"file-size": "64 kb"}, {"rollover-interval": "1 s"}])
def test_a_file_is_closed_when_it_is_large_or_old_enough(tmp_path: Path, rolling: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))
    case = TestFileEpochs()
    options = {**case.create_table(tmp_path, []), **{f"sink.rolling-policy.{key}": value for key, value in rolling.items()}}
    provider = case.sink(options).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    writer = provider.create_writer(WriterContext("job"))
    rows = [(number, "x" * 100_000, None) for number in range(3)]
    for row in rows:
        writer.write(arrow.from_python_rows([row], case.row_type))
    provider.create_committer(CommitContext("job")).commit([writer.prepare_commit()])
    assert sorted(case.stored_rows(options)) == rows
    assert len(visible_files(tmp_path / "files")) == 3


def test_a_partition_is_complete_some_time_after_its_first_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "time_ns", lambda: int(now * 1e9))
    table = Days(tmp_path, PartitionCommit(delay=milliseconds(10)))
    table.run(0, (1, "a"))
    now += 6
    table.run(1, (2, "a"), (3, "b"))
    assert table.marked == []
    now += 4
    Days(tmp_path, PartitionCommit(delay=milliseconds(10))).run(2)  # after a restart, in an epoch without rows
    assert table.marked == ["a"]
    (tmp_path / "day=a" / "_SUCCESS").unlink()
    now += 6
    table.run(3, (4, "a"))
    assert table.marked == ["b"], "new rows start the partition over"
    table.run(4, watermark=END_OF_TIME)
    assert table.marked == ["a", "b"]


def test_a_partition_is_complete_when_the_watermark_has_passed_its_time(tmp_path: Path) -> None:
    commit = PartitionCommit("partition-time", milliseconds(86_400), "+01:00")
    table = Days(tmp_path, commit)
    first = 1_699_920_000  # 2023-11-14 00:00 UTC
    table.run(0, (1, "2023-11-14"), (2, "2023-11-15"))
    table.run(1, watermark=milliseconds(first + 23 * 3600))
    assert table.marked == []
    table.run(2, watermark=milliseconds(first + 23 * 3600) + 1)
    assert table.marked == ["2023-11-14"]
    table.run(3, watermark=END_OF_TIME)
    assert table.marked == ["2023-11-14", "2023-11-15"]


def test_a_partition_whose_time_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    table = Days(tmp_path, PartitionCommit("partition-time", timestamp_pattern="$day 00:00:00"))
    with pytest.raises(TableRuntimeException, match="The partition 'day=soon' has the time 'soon 00:00:00', which is not of the form"):
        table.run(0, (1, "soon"), watermark=5)


def test_the_form_of_the_time_can_be_given(tmp_path: Path) -> None:
    table = Days(tmp_path, PartitionCommit("partition-time", timestamp_formatter="yyyyMMdd"))
    table.run(0, (1, "19700102"), watermark=milliseconds(86_400))
    assert table.marked == []
    table.run(1, watermark=milliseconds(86_400) + 1)
    assert table.marked == ["19700102"]
