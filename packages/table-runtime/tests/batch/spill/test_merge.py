"""Merging sorted runs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.batch.spill import merge
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.run.spill_files.file import SpillFile, SpillUsage

SCHEMA = pa.schema([("a", pa.int64()), ("b", pa.float64()), ("n", pa.int64())])
NAN = float("nan")


@pytest.mark.parametrize("seed", range(12))
def test_a_merge_is_a_stable_sort(harness: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(merge, "MERGED_AT_ONCE", rng.choice([2, 3, 64]))
    distinct, step = rng.choice([1, 3, 1000]), rng.choice([1, 2, 7, 100])
    keys = [SortKey(0, rng.random() < 0.5, rng.random() < 0.5), SortKey(1, rng.random() < 0.5, rng.random() < 0.5)]
    parts = [
        pa.record_batch(
            [
                pa.array([rng.choice([None, rng.randrange(distinct)]) for _ in range(size)], pa.int64()),
                pa.array([rng.choice([None, NAN, 0.5, 1.5]) for _ in range(size)], pa.float64()),
                pa.array([number * 1000 + i for i in range(size)], pa.int64()),
            ],
            schema=SCHEMA,
        )
        for number, size in enumerate(rng.choices([0, 1, 5, 40], k=rng.choice([1, 2, 9])))
    ]
    with SpillFile(str(tmp_path), "Sort", SpillUsage(), compress=True) as file:
        runs = []
        for part in parts:
            ordered = part.take(sort_indices(part.columns, keys))
            runs.append(file.write([ordered.slice(start, step) for start in range(0, part.num_rows, step)], SCHEMA))
        merged = list(merge.merge_runs(runs, keys, SCHEMA, file, harness.context))
    whole = pa.Table.from_batches(parts, SCHEMA).combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], SCHEMA)]
    expected = whole[0].take(sort_indices(whole[0].columns, keys)).column(2).to_pylist()
    assert [n for batch in merged for n in batch.column(2).to_pylist()] == expected
