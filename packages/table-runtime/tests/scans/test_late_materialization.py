"""Numbers of rows in files, and the rows with some numbers, in any order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_common.connector import FileScanProvider
from table_common.exceptions import TableRuntimeException
from table_common.types import parse_logical_type
from table_runtime.scans.late_materialization import FILE_ROWS, FetchRows, NumberedScan
from table_runtime.scans.scan_files import ScanFiles

ROW = parse_logical_type("ROW<a BIGINT, b STRING> NOT NULL")
SCHEMA = pa.schema([("a", pa.int64()), ("b", pa.string())])


@pytest.fixture
def provider(tmp_path: Path) -> FileScanProvider:
    for number, rows in enumerate((250, 30)):
        start = 1_000 * number
        table = pa.table({"a": range(start, start + rows), "b": [f"t{start + i}" for i in range(rows)]})
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=100)
    return FileScanProvider((str(tmp_path),), "parquet", ROW, ROW)


def fetched(harness: Any, provider: FileScanProvider, rows: list[tuple[int, int]]) -> list[tuple[Any, ...]]:
    source = harness.source([("a", pa.int64()), ("$row", pa.int64())], rows)
    return list(harness.rows(FetchRows(source, ScanFiles(provider, SCHEMA, "t"), [0])))


def test_rows_are_numbered_by_file_and_position(harness: Any, provider: FileScanProvider) -> None:
    found = harness.rows(NumberedScan(provider, SCHEMA, "t", [0]))
    assert found == [*((i, i) for i in range(250)), *((1_000 + i, FILE_ROWS + i) for i in range(30))]


def test_rows_are_in_the_order_of_the_input(harness: Any, provider: FileScanProvider) -> None:
    rows = [(1_029, FILE_ROWS + 29), (0, 0), (249, 249), (1_000, FILE_ROWS), (99, 99), (100, 100)]
    assert fetched(harness, provider, rows) == [(a, f"t{a}") for a, _ in rows]
    assert fetched(harness, provider, []) == []


@pytest.mark.parametrize("row", [(5, 6), (250, 250), (2_000, 2 * FILE_ROWS)])
def test_other_keys_or_no_rows_at_the_positions_are_an_error(harness: Any, provider: FileScanProvider, row: tuple[int, int]) -> None:
    with pytest.raises(TableRuntimeException, match="table t changed"):
        fetched(harness, provider, [(0, 0), row])
