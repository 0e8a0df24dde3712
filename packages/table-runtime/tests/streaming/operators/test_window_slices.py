"""Slices of windows, and the groups that are made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.steps.window_table_function import AlignedWindows, CumulateWindows, HopWindows
from table_runtime.steps.window_table_function.operator import TimeColumn
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.sliced_window_aggregate import SlicedWindowAggregate
from table_runtime.streaming.operators.window_slices import SliceState, WindowSlices
from table_runtime.streaming.operators.window_spans import WindowSpans
from table_runtime.streaming.time.watermarks import END_OF_TIME

SCHEMA = pa.schema([("t", pa.timestamp("ms")), ("k", pa.string()), ("v", pa.int64())])
RESULT = pa.schema([("e", pa.timestamp("us")), ("k", pa.string()), ("s", pa.int64())])
SUM = AggregateColumn(make_accumulator(fn.SUM, AggregateSpec("SUM", (BigIntType(),), BigIntType(), ())), (2,))


class Given:
    """Slices of some rows."""

    def __init__(self, windows: AlignedWindows, context: ExecutionContext, rows: list[tuple[int, str, int]]) -> None:
        self.spans = WindowSpans(windows, TimeColumn(0, lambda values: values, lambda values: values), None)
        operator = SlicedWindowAggregate(RESULT, SCHEMA, (0, 1), [SUM], time=0, spans=self.spans, window_columns=(1, None))
        state = operator.create_state(context)
        assert isinstance(state, SliceState)
        self.state = state
        columns = [pa.array(values, field.type) for values, field in zip(zip(*rows, strict=True), SCHEMA, strict=True)]
        operator.process(ChangeBatch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA)), 0, state, lambda batch: None)

    def live(self) -> int:
        return int(self.state.is_live(np.arange(self.state.keys.size)).sum())

    def take(self, until: int) -> list[tuple[int, Any, int]]:
        """Returns window, key and sum of the groups."""
        found = []
        for groups in WindowSlices(self.spans, self.state).take(until):
            keys = self.state.keys.keys(groups.slots)[1].to_pylist()
            found += zip(np.repeat(groups.windows, groups.sizes).tolist(), keys, groups.results[0].to_pylist(), strict=True)
        return found


@pytest.fixture
def rows() -> list[tuple[int, str, int]]:
    return [(7, "b", 1), (1, "a", 2), (7, "a", 4), (2, "a", 8), (11, "b", 16)]


def test_slices_of_hops_go_with_their_last_window(context: ExecutionContext, rows: list[tuple[int, str, int]]) -> None:
    given = Given(HopWindows(5, 10), context, rows)
    assert given.live() == 4
    assert WindowSlices(given.spans, given.state).next_end(NO_WATERMARK) == 4
    assert given.take(4) == [(-1, "a", 10)]
    assert given.live() == 4
    assert given.take(14) == [(0, "b", 1), (0, "a", 14), (1, "b", 17), (1, "a", 4)]
    assert given.live() == 1
    assert given.take(END_OF_TIME) == [(2, "b", 16)]
    assert WindowSlices(given.spans, given.state).next_end(NO_WATERMARK) == END_OF_TIME


def test_slices_that_grow_are_united_when_they_have_the_same_windows_left(
    context: ExecutionContext, rows: list[tuple[int, str, int]]
) -> None:
    given = Given(CumulateWindows(5, 15), context, rows)
    assert given.live() == 4
    assert given.take(9) == [(0, "a", 10), (1, "b", 1), (1, "a", 14)]
    assert given.live() == 3
    assert given.take(14) == [(2, "b", 17), (2, "a", 14)]
    assert given.live() == 0
