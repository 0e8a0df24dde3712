"""A folder that is watched: ranges, files that come later, and files that change."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from table_common.connector import Offset, ReadLimit, ScanTableSource
from table_common.exceptions import TableRuntimeException, ValidationException
from table_runtime.connectors.filesystem import FileSystemTableFactory, FileSystemTableSource
from table_runtime.files import seen_files
from table_runtime.files.monitored import MonitoredFiles
from table_testing import OffsetCompliance
from table_testing.connector_case import ConnectorCase, read_range, repickled


class TestMonitoredFolder(OffsetCompliance):
    factory = FileSystemTableFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE"
    smallest_range = 2

    def create_table(self, folder: Path, rows: Sequence[tuple[Any, ...]]) -> Mapping[str, str]:
        names = ("id", "name", "amount")
        for number in range(0, len(rows), 2):
            lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows[number : number + 2]]
            (folder / f"part-{number}.json").write_text("\n".join(lines) + "\n")
        return {"path": str(folder), "format": "json", "source.monitor-interval": "1 ms"}


class CsvFiles(ConnectorCase):
    factory = FileSystemTableFactory
    schema = "id BIGINT, name STRING"


class Folder:
    """A watched folder of CSV files."""

    def __init__(self, path: Path, pattern: str = "", interval: str = "1 ms") -> None:
        self.path = path
        self._options = {"path": str(path / pattern), "format": "csv", "source.monitor-interval": interval}
        self._times = 1_700_000_000
        self.provider = self.new_provider()
        self.offset: Offset = self.provider.initial_offset()

    def new_provider(self) -> MonitoredFiles:
        """Returns the provider of a process that has not listed the folder."""
        source = CsvFiles().source(self._options)
        assert isinstance(source, FileSystemTableSource)
        provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext(is_bounded_required=False))
        assert isinstance(provider, MonitoredFiles)
        return repickled(provider)

    def restart(self) -> None:
        """Continues with the stored offset in a new process."""
        self.provider = self.new_provider()
        self.offset = json.loads(json.dumps(self.offset))

    def write(self, name: str, *ids: int, at: int | None = None) -> Path:
        """Writes a file of rows with these ids; its modification time is a second behind that of the file before."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{number},x\n" for number in ids))
        self._times += 1
        seconds = self._times if at is None else at
        os.utime(file, (seconds, seconds))
        return file

    def read(self, limit: ReadLimit | None = None) -> list[int]:
        """Reads the next range, and returns the ids in order."""
        assert self.provider.wait(self.offset, 10.0)
        end = self.provider.latest_offset(self.offset, limit)
        rows = read_range(self.provider, self.offset, end, CsvFiles().row_type)
        self.offset = end
        return [row[0] for row in rows]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_each_file_is_read_once_in_the_order_of_modification_times(folder: Folder) -> None:
    folder.write("b.csv", 1, 2)
    folder.write("a.csv", 3)
    assert folder.read() == [1, 2, 3]
    folder.write("sub/c.csv", 4)
    assert [folder.read(), folder.read()] == [[4], []]
    folder.restart()
    assert folder.read() == []
    folder.write("d.csv", 5)
    assert folder.read() == [5]


def test_files_of_one_time_are_read_in_the_order_of_names(folder: Folder) -> None:
    for name, ids in (("2.csv", (2,)), ("1.csv", (10, 11, 12)), ("0.csv", (100, 101))):
        folder.write(name, *ids, at=1_700_000_000)
    assert folder.read() == [100, 101, 10, 11, 12, 2]


def test_a_file_that_comes_with_an_older_time_is_read(folder: Folder) -> None:
    folder.write("b.csv", 1)
    assert folder.read() == [1]
    folder.write("old.csv", 2, at=1_600_000_000)
    assert folder.read() == [2]


@pytest.mark.parametrize("name", [".part.csv", "_part.csv", ".staging/part.csv", "_temporary/0/part.csv"])
def test_hidden_files_are_not_read_before_they_are_renamed(folder: Folder, name: str) -> None:
    file = folder.write(name, 1)
    assert folder.read() == []
    file.rename(folder.path / "part.csv")
    assert folder.read() == [1]


@pytest.mark.parametrize(
    ("ids", "at", "text"),
    [
        ((1,), None, r"the file 'a\.csv' shrank after it was read: it had 8 bytes, and has 4"),
        ((1, 2, 3), None, r"the file 'a\.csv' grew after it was read: it had 8 bytes, and has 12"),
        ((3, 4), None, r"the file 'a\.csv' was replaced after it was read: it is of 2023-11-14 22:13:21 UTC"),
    ],
)
@pytest.mark.parametrize("restarts", [False, True])
def test_a_file_that_changed_after_it_was_read_is_an_error(
    folder: Folder, ids: tuple[int, ...], at: int | None, text: str, *, restarts: bool
) -> None:
    folder.write("a.csv", 1, 2)
    assert folder.read() == [1, 2]
    if restarts:
        folder.restart()
    folder.write("a.csv", *ids, at=at)
    with pytest.raises(TableRuntimeException, match=text) as caught:
        folder.read()
    assert "then rename it" in (caught.value.hint or "")


def test_a_file_that_is_still_written_while_it_is_read_is_an_error(folder: Folder) -> None:
    file = folder.write("a.csv", 1, 2)
    end = folder.provider.latest_offset(folder.offset)
    (split,) = folder.provider.plan(folder.offset, end)
    reading = folder.provider.create_reader().read(split)
    next(iter(reading))
    with file.open("a") as appended:
        appended.write("3,x\n")
    with pytest.raises(TableRuntimeException, match="changed while it was read: it had 8 bytes, and has 12"):
        list(reading)


def test_a_file_that_is_gone_before_it_is_read_is_an_error(folder: Folder) -> None:
    file = folder.write("a.csv", 1)
    end = folder.provider.latest_offset(folder.offset)
    file.unlink()
    with pytest.raises(TableRuntimeException, match=r"the file '.*a\.csv' was removed before it was read"):
        read_range(folder.provider, folder.offset, end, CsvFiles().row_type)


def test_files_may_be_removed_when_they_were_read_and_are_forgotten(folder: Folder) -> None:
    for name in ("a.csv", "b.csv"):
        folder.write(name, 1)
    assert folder.read() == [1, 1]
    (folder.path / "a.csv").unlink()
    folder.restart()
    assert folder.read() == []
    folder.write("c.csv", 3)
    assert folder.read() == [3]
    folder.write("a.csv", 4)
    assert folder.read() == [4]


def test_an_offset_lists_the_newest_files_and_covers_the_older_ones(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_files, "MOST_NAMES", 3)
    sizes = []
    for number in range(40):
        folder.write(f"{number:03}.csv", number)
        assert folder.read() == [number]
        if number % 7 == 0:
            folder.restart()
        sizes.append(len(json.dumps(folder.offset)))
    assert sizes[-1] <= sizes[5] + 8
    assert folder.read() == []
    folder.restart()
    assert folder.read() == []


@pytest.mark.parametrize("restarts", [False, True])
def test_a_file_as_old_as_those_that_are_covered_is_an_error(folder: Folder, monkeypatch: pytest.MonkeyPatch, *, restarts: bool) -> None:
    monkeypatch.setattr(seen_files, "MOST_NAMES", 3)
    for number in range(8):
        folder.write(f"{number}.csv", number)
        folder.read()
    if restarts:
        folder.restart()
    late = folder.write("late.csv", 100, at=1_700_000_002)
    with pytest.raises(
        TableRuntimeException, match=r"came with a modification time before 2023-11-14 22:13:25 UTC.* cannot tell"
    ) as caught:
        folder.read()
    if not restarts:
        assert "the file 'late.csv'" in str(caught.value)
    os.utime(late)  # as the hint says
    folder.restart()
    assert folder.read() == [100]


def test_covered_files_may_be_removed(folder: Folder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(seen_files, "MOST_NAMES", 3)
    for number in range(8):
        folder.write(f"{number}.csv", number)
        folder.read()
    (folder.path / "0.csv").unlink()
    folder.restart()
    assert folder.read() == []
    assert "1 of the 5 oldest files that were read are not there any more" in caplog.text
    folder.write("8.csv", 8)
    assert folder.read() == [8]
    folder.restart()
    caplog.clear()
    assert folder.read() == []
    assert caplog.text == ""


def test_a_covered_file_that_changes_is_an_error(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_files, "MOST_NAMES", 3)
    for number in range(8):
        folder.write(f"{number}.csv", number)
        folder.read()
    folder.write("0.csv", 100)
    with pytest.raises(TableRuntimeException, match=r"the file '0\.csv' grew after it was read"):
        folder.read()


def test_a_range_has_as_many_files_as_the_limit_of_bytes_allows(folder: Folder) -> None:
    for number in range(3):
        folder.write(f"{number}.csv", number)
    assert [folder.read(ReadLimit(bytes=8)) for _ in range(3)] == [[0, 1], [2], []]


def test_a_range_has_as_many_files_as_the_limit_of_rows_allows(folder: Folder) -> None:
    for number in range(3):
        folder.write(f"{number}.csv", number)  # of four bytes
    folder.write("3.csv", *range(3, 10))
    assert [folder.read(ReadLimit(rows=8)) for _ in range(3)] == [[0, 1], [2], list(range(3, 10))]
    for name in ("4.gz", "5.gz"):
        (folder.path / name).write_bytes(gzip.compress(b"4,x\n"))  # of 24 bytes
    assert [folder.read(ReadLimit(rows=1000)) for _ in range(2)] == [[4, 4], []]


def test_small_files_of_any_format_share_a_range(tmp_path: Path) -> None:
    for number in range(3):
        change = {"before": None, "after": {"id": number, "name": "x"}, "op": "c"}
        (tmp_path / f"{number}.json").write_text(json.dumps(change))
    source = CsvFiles().source({"path": str(tmp_path), "format": "debezium-json", "source.monitor-interval": "1 ms"})
    provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext(is_bounded_required=False))  # type: ignore[attr-defined]
    start = provider.initial_offset()
    assert len(provider.latest_offset(start, ReadLimit(rows=1000))["files"]) == 3


def test_a_range_has_no_more_files_than_an_offset_lists(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_runtime.files.monitored._MOST_FILES", 2)
    for number in range(3):
        folder.write(f"{number}.csv", number)
    assert [folder.read(ReadLimit(bytes=1_000)) for _ in range(3)] == [[0, 1], [2], []]


@pytest.mark.parametrize("most_names", [3, 1_000])
def test_ranges_end_behind_the_files_that_were_there_once(folder: Folder, monkeypatch: pytest.MonkeyPatch, most_names: int) -> None:
    monkeypatch.setattr("table_runtime.files.monitored._MOST_FILES", 2)
    monkeypatch.setattr(seen_files, "MOST_NAMES", most_names)
    for number in range(5):
        folder.write(f"{number}.csv", number)
    limit = ReadLimit(until=folder.provider.latest_offset(folder.offset))
    folder.write("5.csv", 5)
    assert [folder.read(limit) for _ in range(4)] == [[0, 1], [2, 3], [4], []]
    assert folder.read() == [5]


def test_the_folder_is_listed_once_per_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path, interval="10 s")
    now = 50.0
    slept: list[float] = []
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(time, "sleep", slept.append)
    assert folder.provider.latest_offset(folder.offset) is folder.offset
    folder.write("a.csv", 1)
    now += 4.0
    assert folder.provider.latest_offset(folder.offset) is folder.offset
    assert [folder.provider.wait(folder.offset, 1.0), folder.provider.wait(folder.offset, 20.0)] == [False, True]
    assert slept == [1.0, 6.0]
    now += 6.0
    assert folder.provider.latest_offset(folder.offset) is not folder.offset


def test_partitions_that_come_later_are_read(tmp_path: Path) -> None:
    class Days(CsvFiles):
        schema = "id BIGINT, day STRING"
        partition_keys = ("day",)

    source = Days().source({"path": str(tmp_path), "format": "csv", "source.monitor-interval": "1 ms"})
    assert isinstance(source, FileSystemTableSource)
    assert source.list_partitions() is None
    provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext(is_bounded_required=False))
    assert isinstance(provider, MonitoredFiles)
    (tmp_path / "day=x").mkdir()
    (tmp_path / "day=x" / "a.csv").write_text("1\n")
    start = provider.initial_offset()
    assert read_range(provider, start, provider.latest_offset(start), Days().row_type) == [(1, "x")]


def test_a_pattern_is_matched_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path, pattern="*/in")
    assert folder.read() == []
    folder.write("x/in/a.csv", 1)
    folder.write("x/out/b.csv", 2)
    assert folder.read() == [1]
    folder.write("y/in/c.csv", 3)
    assert folder.read() == [3]


def test_compressed_files_are_read(folder: Folder) -> None:
    (folder.path / "a.csv.gz").write_bytes(gzip.compress(b"1,x\n2,y\n"))
    assert folder.read() == [1, 2]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "nowhere")
    with pytest.raises(TableRuntimeException, match=r"Table compliance\.suite\.tested: .*nowhere' of the table does not exist"):
        folder.read()


def test_in_batch_mode_the_files_are_listed_once(tmp_path: Path) -> None:
    source = TestMonitoredFolder().source({"path": str(tmp_path), "format": "json", "source.monitor-interval": "1 s"})
    assert isinstance(source, ScanTableSource)
    assert source.get_scan_runtime_provider(ScanTableSource.ScanContext()).is_bounded


@pytest.mark.parametrize(("interval", "text"), [("0 s", "must be positive, but is '0 s'"), ("soon", "source.monitor-interval")])
def test_a_wrong_interval_is_refused(interval: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(ValidationException, match=text):
        TestMonitoredFolder().source({"path": str(tmp_path), "format": "json", "source.monitor-interval": interval})
