"""Which rows of Parquet files are looked at for estimates."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyarrow.parquet import write_table

from table_common.types import BigIntType, IntType, VarCharType
from table_runtime.files import parquet_sample
from table_runtime.files.samples import SMALL_ROWS


def test_a_small_table_is_read_as_a_whole(tmp_path: Path) -> None:
    for number in range(2):
        write_table(pa.table({"a": [number, None], "b": ["x", "y"]}), tmp_path / f"{number}.parquet")
    files = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    sample = parquet_sample(files, {"a": BigIntType(), "b": VarCharType()})
    assert sample is not None
    assert (sample.rows, sample.is_complete) == (4, True)
    assert sample.columns["a"].to_pylist() == [0, None, 1, None]


def test_of_a_large_table_all_columns_are_of_the_same_rows(tmp_path: Path) -> None:
    rows = 2 * SMALL_ROWS
    write_table(pa.table({"a": range(rows), "b": range(rows)}), tmp_path / "1.parquet", row_group_size=rows // 16)
    one = parquet_sample([tmp_path / "1.parquet"], {"a": BigIntType()})
    other = parquet_sample([tmp_path / "1.parquet"], {"b": BigIntType()})
    assert one is not None
    assert other is not None
    assert not one.is_complete
    assert one.rows < rows // 4
    assert one.columns["a"].equals(other.columns["b"])
    assert max(one.columns["a"].to_pylist()) > rows // 2


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "1.parquet"
    for values in ([1], [2, 3]):
        write_table(pa.table({"a": pa.array(values, pa.int32())}), path)
        sample = parquet_sample([path], {"a": IntType()})
        assert sample is not None
        assert sample.columns["a"].to_pylist() == values


def test_what_cannot_be_read_has_no_sample(tmp_path: Path) -> None:
    write_table(pa.table({"a": ["x"]}), tmp_path / "1.parquet")
    (tmp_path / "2.parquet").write_bytes(b"nothing")
    assert parquet_sample([tmp_path / "1.parquet"], {"a": IntType()}) is None
    assert parquet_sample([tmp_path / "1.parquet"], {"b": VarCharType()}) is None
    assert parquet_sample([tmp_path / "1.parquet"], {"a": None}) is None
    assert parquet_sample([tmp_path / "2.parquet"], {"a": VarCharType()}) is None
    assert parquet_sample([], {"a": VarCharType()}) is None
