"""Columns of Parquet files whose names differ in case from those of the table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from table_common.connector import FileScanProvider
from table_common.types import IntType, RowType
from table_planner_spark.scan.parquet_columns import has_names_of_other_case

ROW = RowType.of([("a", IntType())], nullable=False)


@pytest.mark.parametrize(("names", "expected"), [(["a"], False), (["A"], True), (["a", "A"], False), (["b"], False)])
def test_a_name_of_other_case_counts_only_if_the_column_itself_is_missing(tmp_path: Path, names: list[str], expected: bool) -> None:
    parquet.write_table(pa.table([pa.array([1], pa.int32())] * len(names), names=names), tmp_path / "f.parquet")
    assert has_names_of_other_case(FileScanProvider((str(tmp_path),), "parquet", ROW, ROW)) is expected


def test_a_path_that_does_not_exist_has_no_such_names(tmp_path: Path) -> None:
    assert not has_names_of_other_case(FileScanProvider((str(tmp_path / "none"),), "parquet", ROW, ROW))
