"""The files that a scan reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from table_common.connector import FileScanProvider
from table_common.exceptions import TableRuntimeException
from table_common.types import IntType, RowType
from table_planner_spark.scan.file_listing import FileListing
from table_runtime.files import Snapshots

ROW = RowType.of([("a", IntType())], nullable=False)


@pytest.fixture
def snapshots() -> Iterator[Snapshots]:
    opened = Snapshots()
    yield opened
    opened.close()


def test_the_files_of_a_folder_are_listed(tmp_path: Path, snapshots: Snapshots) -> None:
    (tmp_path / "f.csv").write_text("1\n")
    listing = FileListing(FileScanProvider((str(tmp_path),), "csv", ROW, ROW), snapshots)
    assert listing.files == [tmp_path / "f.csv"]


def test_only_the_partitions_of_the_scan_are_listed(tmp_path: Path, snapshots: Snapshots) -> None:
    for day in ("1", "2"):
        (tmp_path / f"d={day}").mkdir()
        (tmp_path / f"d={day}" / "f.csv").write_text("1\n")
    provider = FileScanProvider((str(tmp_path),), "csv", ROW, ROW, partition_keys=("d",), partitions=(("2",),))
    assert FileListing(provider, snapshots).files == [tmp_path / "d=2" / "f.csv"]


@pytest.mark.parametrize("path", ["s3://bucket/t", "/data/none/*.csv"])
def test_files_of_other_machines_and_of_patterns_are_left_to_spark(path: str, snapshots: Snapshots) -> None:
    assert FileListing(FileScanProvider((path,), "csv", ROW, ROW), snapshots).files is None


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path, snapshots: Snapshots) -> None:
    with pytest.raises(TableRuntimeException):
        FileListing(FileScanProvider((str(tmp_path / "none"),), "csv", ROW, ROW), snapshots)
