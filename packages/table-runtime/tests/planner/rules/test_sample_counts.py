"""Predicates that are counted in a sample of a table are counted once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_runtime.planner.rules import sample_counts

Estimated = Callable[[str], float]


def test_a_predicate_is_counted_once_until_its_file_changes(estimated: Estimated, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    counted = []
    evaluated = sample_counts._evaluated
    monkeypatch.setattr(sample_counts, "_evaluated", lambda *arguments: counted.append(1) or evaluated(*arguments))
    condition = "id < 210 AND name LIKE '%3'"
    assert (estimated(condition), estimated(condition), len(counted)) == (21, 21, 1)
    assert estimated("id < 310 AND name LIKE '%3'") == 31
    pq.write_table(pa.table({"id": range(10), "name": ["3"] * 10, "v": range(10)}), tmp_path / "t.parquet")
    assert (estimated(condition), len(counted)) == (10, 3)


def test_a_predicate_with_an_array_is_counted(estimated: Estimated) -> None:
    assert estimated("ARRAY_CONTAINS(ARRAY[3, 5, 2000], id)") == 2


def test_only_the_counts_used_last_are_kept(estimated: Estimated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_counts, "MOST_COUNTS", 3)
    assert [estimated(f"id < {n} AND v IS NOT NULL") for n in range(4, 44, 4)] == list(range(3, 33, 3))
    assert len(sample_counts._counts) == 3
