"""Sorting in runs on disk."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.batch.sort.sort import Sort
from table_runtime.batch.spill.merge import MERGED_AT_ONCE
from table_runtime.batch.spill.sort import LEAST_BATCH_BYTES
from table_runtime.columns.ordering import SortKey
from table_runtime.run.memory import account
from table_runtime.run.spill_files.file import SpillFile, StoredRows

SHARE = 64 << 20
ROWS = 40_000
TEXT = 1_000


def test_the_batches_that_a_merge_holds_are_no_larger_than_a_run(harness: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[list[int]] = []
    write = SpillFile.write

    def measured(file: SpillFile, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> StoredRows:
        kept = list(batches)
        runs.append([batch.nbytes for batch in kept])
        return write(file, kept, schema)

    monkeypatch.setattr(account, "FIXED", SHARE)
    monkeypatch.setattr(SpillFile, "write", measured)
    numbers = random.Random(3).sample(range(ROWS), ROWS)
    rows = [(number, f"{number:0{TEXT}}") for number in numbers]
    source = harness.source([("n", pa.int64()), ("s", pa.string())], rows, batch_rows=500)
    assert [number for number, _ in harness.rows(Sort(source, [SortKey(1)]))] == list(range(ROWS))
    assert len(runs) > 1
    for run in runs:
        assert max(run) <= max(LEAST_BATCH_BYTES, sum(run) // MERGED_AT_ONCE) * 1.05
