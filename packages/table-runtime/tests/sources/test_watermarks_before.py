"""The watermark before each row that a source emits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

import pyarrow as pa
import pytest

from table_common.connector.source import PeriodicAssignerProvider, PunctuatedAssignerProvider, WatermarkAssigner
from table_common.data import RuntimeConverter
from table_common.expressions import FieldReferenceExpression
from table_common.types import RowType, TimestampType
from table_runtime.expressions import EvaluationContext
from table_runtime.sources import watermark_assigner

CONTEXT = RuntimeConverter.Context.empty()
ROWS = RowType.of([("ts", TimestampType(3))], nullable=False)


def batch(milliseconds: Sequence[int | None]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(milliseconds, pa.timestamp("ms"))], names=["ts"])


def expression() -> WatermarkAssigner:
    made = watermark_assigner(ROWS, FieldReferenceExpression("ts", TimestampType(3), 0, 0), EvaluationContext())
    assert made is not None
    return made


@pytest.mark.parametrize("size", [1, 3, 20])
@pytest.mark.parametrize("first", [0, -1200, -10_000])
def test_the_watermark_before_each_row_is_that_of_the_operator(size: int, first: int) -> None:
    """A row by row model."""
    milliseconds = [first + value for value in (100, 900, 250, 1200, 1300, 1150, 2000, 1900, 2201, 2202)]
    provider = PeriodicAssignerProvider(expression(), timedelta(milliseconds=200))
    splits = provider.create_assigner()
    splits.open(CONTEXT)
    found: list[int | None] = []
    for start in range(0, len(milliseconds), size):
        part = batch(milliseconds[start : start + size])
        found += pa.record_batch(splits.watermarks_before(part)).column("watermark").to_pylist()
        saved = json.loads(json.dumps(splits.snapshot()))
        splits = provider.create_assigner()
        splits.open(CONTEXT)
        splits.restore(saved)
    expected: list[int | None] = []
    emitted: int | None = None
    greatest = milliseconds[0]
    for value in milliseconds:
        expected.append(emitted)
        greatest = max(greatest, value)
        emitted = greatest if emitted is None or greatest - emitted > 200 else emitted
    assert found == expected
    assert splits.current_watermark() == first + 2202


def test_with_every_row_the_watermark_before_a_row_is_the_greatest_time_so_far() -> None:
    every_row = PunctuatedAssignerProvider(expression()).create_assigner()
    every_row.open(CONTEXT)
    before = every_row.watermarks_before(batch([7_000, None, 9_000, 8_000, 10_000]))
    assert pa.record_batch(before).column("watermark").to_pylist() == [None, 7_000, 7_000, 9_000, 9_000]
