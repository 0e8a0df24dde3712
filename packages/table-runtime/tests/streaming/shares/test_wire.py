"""Cells: changes keep their kinds, watermarks, types and empty columns on the way."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.shares.wire import (
    Cell,
    Kind,
    Mark,
    Target,
    changes_of,
    joined_changes,
    payload_of,
)

SCHEMA = pa.schema(
    [
        ("$before", pa.int64()),
        ("kind", pa.string()),
        ("t", pa.timestamp("ns")),
        ("d", pa.decimal128(38, 10)),
        ("r", pa.struct([("a", pa.list_(pa.int32()))])),
        ("m", pa.map_(pa.string(), pa.binary())),
        ("i", pa.month_day_nano_interval()),
    ]
)


def rows(count: int) -> pa.RecordBatch:
    row = {
        "$before": 1,
        "kind": "x",
        "t": datetime(2024, 1, 1),
        "d": Decimal("1.5"),
        "r": {"a": [1, None]},
        "m": [("a", b"b")],
        "i": pa.MonthDayNano([1, 2, 3]),
    }
    return pa.RecordBatch.from_pylist([row, dict.fromkeys(SCHEMA.names)] * count, schema=SCHEMA)


@pytest.mark.parametrize("has_kinds", [True, False])
@pytest.mark.parametrize("has_before", [True, False])
def test_changes_are_read_as_they_were_written(has_kinds: bool, has_before: bool) -> None:
    kinds = np.array([0, 3] * 2, np.int8) if has_kinds else None
    before = np.arange(4) if has_before else None
    batch = ChangeBatch(rows(2), kinds, before)
    (found,) = changes_of(payload_of([batch.slice(0, 1), batch.slice(1, 3)]), SCHEMA)
    assert found.rows.equals(batch.rows)
    assert (found.kinds is None, found.before is None) == (not has_kinds, not has_before)
    if kinds is not None and found.kinds is not None:
        assert found.kinds.tolist() == kinds.tolist()
    if before is not None and found.before is not None:
        assert found.before.tolist() == before.tolist()


def test_batches_with_and_without_kinds_are_one_payload() -> None:
    (found,) = changes_of(payload_of([ChangeBatch(rows(1)), ChangeBatch(rows(1), np.array([3, 3], np.int8))]), SCHEMA)
    assert found.kinds is not None
    assert found.kinds.tolist() == [0, 0, 3, 3]


@pytest.mark.parametrize("has_kinds", [True, False])
def test_rows_without_columns_keep_their_number(has_kinds: bool) -> None:
    empty = pa.RecordBatch.from_struct_array(pa.array([{}] * 5, pa.struct([])))
    (found,) = changes_of(payload_of([ChangeBatch(empty, np.zeros(5, np.int8) if has_kinds else None)]), pa.schema([]))
    assert found.num_rows == 5


def test_cells_are_read_as_they_were_written() -> None:
    for size in (0, 1, 64, 1000):
        cell = Cell(7, 1, 2, 3 << 40, 5, Kind.ROWS, -1, 0, pa.py_buffer(bytes(range(100))[:size] * (size // 100 or 1)))
        found = Cell.of(cell.to_bytes())
        assert found[:-1] == cell[:-1]
        assert Cell.part_of(cell.to_bytes()) == 7
        assert found.payload.equals(cell.payload)
        assert found.target == Target(-1, 0)


def test_marks_are_read_as_they_were_written() -> None:
    for mark in (Mark([-(1 << 63), 5, (1 << 63) - 1]), Mark((), is_idle=True)):
        found = Mark.of(mark.to_payload())
        assert (list(found.watermarks), found.is_idle) == (list(mark.watermarks), mark.is_idle)


def test_changes_of_several_cells_are_one_batch_unless_it_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = [
        ChangeBatch(rows(1)),
        ChangeBatch(rows(2), np.array([3, 0, 3, 0], np.int8)),
        ChangeBatch(rows(1), None, np.array([5, 6])),
        ChangeBatch(rows(1), None, np.array([7, 8])),
    ]
    first, second = joined_changes(batches, SCHEMA)
    assert first.rows.equals(rows(3))
    assert first.kinds is not None
    assert first.kinds.tolist() == [0, 0, 3, 0, 3, 0]
    assert first.before is None
    assert second.before is not None
    assert (second.num_rows, second.kinds, second.before.tolist()) == (4, None, [5, 6, 7, 8])
    assert [batch.num_rows for batch in joined_changes(batches, SCHEMA, 1)] == [2, 4, 2, 2]


def test_joined_changes_without_columns_keep_their_number() -> None:
    empty = ChangeBatch(pa.RecordBatch.from_struct_array(pa.array([{}] * 5, pa.struct([]))), np.ones(5, np.int8))
    (found,) = joined_changes([empty, empty], pa.schema([]))
    assert found.num_rows == 10
