"""Partitions of rows in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from table_runtime.batch.spill.partitions import partition_rows
from table_runtime.run.spill_files.file import SpillFile, SpillUsage

SCHEMA = pa.schema([("k", pa.string()), ("n", pa.int64())])
ROWS = [(None if i % 11 == 0 else str(i % 50), i) for i in range(500)]


def partitions(harness: Any, folder: Path, **options: Any) -> list[list[tuple[Any, ...]]]:
    source = harness.source(list(zip(SCHEMA.names, SCHEMA.types, strict=True)), ROWS, batch_rows=70)
    with SpillFile(str(folder), "Distinct", SpillUsage(), compress=True) as file:
        parts = partition_rows(
            source.batches(harness.context), SCHEMA, lambda batch: [batch.column(0)], file, 0, harness.context, **options
        )
        return [[tuple(row.values()) for batch in part.read() for row in batch.to_pylist()] for part in parts]


def test_rows_with_equal_keys_are_in_one_partition_in_their_order(harness: Any, tmp_path: Path) -> None:
    parts = partitions(harness, tmp_path)
    assert sorted((row for part in parts for row in part), key=lambda row: row[1]) == ROWS
    assert all(part == sorted(part, key=lambda row: row[1]) for part in parts)
    for key in {key for key, _ in ROWS}:
        assert sum(any(row[0] == key for row in part) for part in parts) == 1
    assert sum(map(bool, parts)) > 10


def test_rows_that_are_not_kept_are_not_written(harness: Any, tmp_path: Path) -> None:
    parts = partitions(harness, tmp_path, keep=lambda columns: pc.is_valid(columns[0]))
    assert sorted(row[1] for part in parts for row in part) == [n for key, n in ROWS if key is not None]
