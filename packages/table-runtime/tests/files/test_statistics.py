"""What Parquet's footers say of a table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from table_common.connector.source import ColumnStats
from table_runtime.files import parquet_statistics


def write(path: Path, **columns: pa.Array) -> Path:
    write_table(pa.table(columns), path, row_group_size=2)
    return path


def test_rows_bounds_and_nulls_of_all_row_groups_count(tmp_path: Path) -> None:
    one = write(tmp_path / "1.parquet", a=pa.array([3, 1, None, 9]), b=pa.array(["x", "y", "z", "w"]))
    other = write(tmp_path / "2.parquet", a=pa.array([-4]), b=pa.array(["q"]))
    stats = parquet_statistics([one, other], ["a"])
    assert stats.row_count == 5
    assert stats.column_stats == {"a": ColumnStats(null_count=1, min=-4, max=9)}


def test_a_group_of_nulls_alone_widens_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "1.parquet", a=pa.array([None, None, 5, 6], pa.int32()))
    assert parquet_statistics([file], ["a"]).column_stats == {"a": ColumnStats(null_count=2, min=5, max=6)}


def test_a_column_without_statistics_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "1.parquet"
    write_table(pa.table({"a": [1, 2]}), path, write_statistics=False)
    assert dict(parquet_statistics([path], ["a"]).column_stats) == {}


def test_what_is_no_parquet_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "1.parquet"
    path.write_bytes(b"nothing")
    with pytest.raises((OSError, ValueError)):
        parquet_statistics([path], ["a"])


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    file = write(tmp_path / "1.parquet", a=pa.array([1]))
    assert parquet_statistics([file], ["a"]).row_count == 1
    write(file, a=pa.array([1, 2, 3]))
    assert parquet_statistics([file], ["a"]).row_count == 3
