from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import ArrayType, IntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.streaming.aggregates import kept_rows
from table_runtime.streaming.aggregates.kept_rows import KeptRowsState
from table_runtime.streaming.changes.running_counts import running_counts
from table_runtime.streaming.changes.segments import Segments
from table_runtime.streaming.changes.slot_groups import SlotGroups


def state() -> KeptRowsState:
    spec = AggregateSpec("ARRAY_AGG", (IntType(),), ArrayType(IntType()))
    return KeptRowsState(make_accumulator(fn.ARRAY_AGG, spec), [pa.int32()])


def advance(kept: KeptRowsState, values: list[int | None], signs: list[int], before: int = 0) -> list[Any]:
    """Applies rows to one slot that has ``before`` rows; returns the result after each."""
    groups = SlotGroups(np.zeros(len(values), np.int64))
    counts = running_counts(np.array(signs, np.int64), np.full(len(values), before), groups)
    segments = Segments(groups, counts.before, counts.after)
    results: list[Any] = kept.advance([pa.array(values, pa.int32())], np.array(signs, np.int64), segments).to_pylist()
    return results


def test_rows_keep_their_order_and_retractions_remove_the_first_equal_row() -> None:
    assert advance(state(), [1, 2, 1, 1, None], [1, 1, 1, -1, 1]) == [[1], [1, 2], [1, 2, 1], [2, 1], [2, 1, None]]


def test_rows_are_kept_across_batches() -> None:
    kept = state()
    advance(kept, [1], [1])
    assert kept.current(np.zeros(1, np.int64)).to_pylist() == [[1]]
    assert advance(kept, [2], [1], before=1) == [[1, 2]]


def test_an_ended_group_restarts_empty() -> None:
    assert advance(state(), [1, 1, 2], [1, -1, 1])[-1] == [2]


def test_fewer_rows_are_applied_at_once_to_larger_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_rows, "MOST_ROWS", 100)
    kept = state()
    assert kept.rows_at_once([]) == 10
    advance(kept, [1] * 50, [1] * 50)
    assert kept.rows_at_once([]) == 1
