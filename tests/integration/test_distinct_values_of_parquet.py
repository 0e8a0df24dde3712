"""The distinct values of a column, estimated from Parquet files whose writer counts those of each row group, as DuckDB does."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from table_runtime.files import parquet_statistics


def distinct(path: Path, values: list[int]) -> int | None:
    """Returns the estimate for a column whose writer counts the distinct values of each row group, as DuckDB does."""
    with duckdb.connect() as connection:
        connection.register("t", pa.table({"a": values}))
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
    return parquet_statistics([path], ["a"]).column_stats["a"].ndv


@pytest.mark.parametrize(
    ("values", "count"),
    [
        pytest.param([i % 10 for i in range(20_000)], 10, id="few values in all row groups"),
        pytest.param([i // 8 for i in range(20_000)], 2_500, id="sorted"),
        pytest.param([i * 7 % 400 for i in range(20_000)], 400, id="keys of a table"),
    ],
)
def test_distinct_values_of_row_groups_are_put_together(tmp_path: Path, values: list[int], count: int) -> None:
    found = distinct(tmp_path / "1.parquet", values)
    assert found is not None
    assert 0.8 * count <= found <= 1.2 * count
