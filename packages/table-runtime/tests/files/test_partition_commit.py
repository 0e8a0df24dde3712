"""Which partitions are complete."""

from __future__ import annotations

import pytest

from table_common.connector import FileSinkProvider, PartitionCommit
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.files.partition_commit import END_OF_TIME, complete_partitions, success_files

NOON = 1_699_963_200_000  # 2023-11-14 12:00 UTC
HOUR = 3_600_000


def sink(commit: PartitionCommit | None, keys: tuple[str, ...] = ("day", "hour")) -> FileSinkProvider:
    row_type = parse_logical_type("ROW<id INT, day STRING, hour STRING> NOT NULL")
    assert isinstance(row_type, RowType)
    return FileSinkProvider("/t", "csv", row_type, partition_keys=keys, partition_commit=commit)


@pytest.mark.parametrize(
    ("commit", "watermark", "expected"),
    [
        (PartitionCommit("partition-time", HOUR, timestamp_pattern="$day $hour:00:00"), NOON, []),
        (PartitionCommit("partition-time", HOUR, timestamp_pattern="$day $hour:00:00"), NOON + 1, ["11"]),
        (PartitionCommit("partition-time", HOUR, timestamp_pattern="$day $hour:00:00"), None, []),
        (PartitionCommit("partition-time", 0, "Asia/Tokyo", "$day $hour:00:00"), NOON - 9 * HOUR + 1, ["11", "12"]),
        (PartitionCommit("partition-time", timestamp_pattern="$day/$hour", timestamp_formatter="yyyy-MM-dd/HH"), NOON, ["11"]),
        (PartitionCommit("partition-time", 30 * 24 * HOUR), END_OF_TIME, ["11", "12"]),
        (PartitionCommit("process-time", 10), None, ["11"]),
        (PartitionCommit("process-time", 30), END_OF_TIME, ["11", "12"]),
        (None, END_OF_TIME, []),
    ],
)
def test_partitions_are_complete_by_their_trigger(commit: PartitionCommit | None, watermark: int | None, expected: list[str]) -> None:
    began = {f"day=2023-11-14/hour={hour}": first for hour, first in ((11, 100), (12, 105))}
    assert [folder[-2:] for folder in complete_partitions(sink(commit), began, 110, watermark)] == expected


def test_a_name_that_begins_with_another_one_is_replaced_as_a_whole() -> None:
    commit = PartitionCommit("partition-time", timestamp_pattern="$day_of $day", timestamp_formatter="yyyy-MM-dd HH")
    found = complete_partitions(sink(commit, ("day_of", "day")), {"day_of=2023-11-14/day=11": 0}, 0, NOON)
    assert found == ["day_of=2023-11-14/day=11"]


@pytest.mark.parametrize("folder", ["day=x/hour=1", "day=__HIVE_DEFAULT_PARTITION__/hour=1"])
def test_a_time_that_cannot_be_read_is_an_error(folder: str) -> None:
    with pytest.raises(TableRuntimeException, match="which is not of the form 'yyyy-MM-dd HH:mm:ss'") as caught:
        complete_partitions(sink(PartitionCommit("partition-time")), {folder: 0}, 0, NOON)
    assert "timestamp-pattern" in (caught.value.hint or "")


def test_success_files_have_their_name_in_each_folder() -> None:
    assert success_files(sink(PartitionCommit(success_file="_done")), ["day=b", "day=a"]) == ["day=a/_done", "day=b/_done"]
    assert success_files(sink(None), ["day=a"]) == []
    assert success_files(sink(PartitionCommit(), ()), [""]) == []
