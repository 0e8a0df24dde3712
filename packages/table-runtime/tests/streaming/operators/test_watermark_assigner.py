"""Tests for table_runtime.streaming.operators.watermark_assigner."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK, milliseconds_of
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner
from table_runtime.streaming.time.watermarks import END_OF_TIME

SCHEMA = pa.schema([("a", pa.int64()), ("t", pa.timestamp("us"))])


def rows(*times: int | None) -> ChangeBatch:
    arrays = [pa.array(range(len(times)), pa.int64()), pa.array(times, pa.timestamp("ms")).cast(pa.timestamp("us"))]
    return ChangeBatch(pa.RecordBatch.from_arrays(arrays, schema=SCHEMA), np.full(len(times), 2, np.int8))


def assigner(interval: int = 0) -> WatermarkAssigner:
    return WatermarkAssigner(SCHEMA, 1, lambda batch: batch.column(1), interval=interval, table="`c`.`d`.`t`", text="rowtime=[t]")


@pytest.mark.parametrize(
    ("unit", "values", "expected"),
    [
        ("us", [1999, -1], [1, -1]),
        ("ns", [1_999_999, -1], [1, -1]),
        ("us", [1999, None], [1, NO_WATERMARK]),
        ("us", [None], [NO_WATERMARK]),
        ("us", [], []),
    ],
)
def test_times_are_milliseconds_rounded_down(unit: str, values: list[int | None], expected: list[int]) -> None:
    assert milliseconds_of(pa.array(values, pa.timestamp(unit))).tolist() == expected


def test_rows_are_forwarded_with_their_kinds_and_the_watermark_before_each(context: ExecutionContext) -> None:
    operator = assigner(interval=5)
    state = operator.create_state(context)
    given: list[ChangeBatch] = []
    operator.process(rows(10, 12, 20, 3), 0, state, given.append)
    operator.process(rows(21), 0, state, given.append)
    assert [batch.before.tolist() for batch in given if batch.before is not None] == [[NO_WATERMARK, 10, 10, 20], [20]]
    assert [batch.kinds.tolist() for batch in given if batch.kinds is not None] == [[2, 2, 2, 2], [2]]
    assert given[1].rows.column(0).to_pylist() == [0]
    assert operator.output_watermark(state) == 20
    assert str(operator) == "WatermarkAssigner(rowtime=[t])"


def test_the_end_of_the_input_is_the_end_of_time(context: ExecutionContext) -> None:
    operator = assigner()
    state = operator.create_state(context)
    assert operator.output_watermark(state) == NO_WATERMARK
    state.watermark = END_OF_TIME
    assert operator.output_watermark(state) == END_OF_TIME


def test_a_null_time_names_the_column_the_table_and_the_row(context: ExecutionContext) -> None:
    operator = assigner()
    state = operator.create_state(context)
    operator.process(rows(1, 2), 0, state, lambda batch: None)
    with pytest.raises(TableRuntimeException, match=r"time attribute 't' of table `c`\.`d`\.`t` is NULL in row 4,") as error:
        operator.process(rows(3, None, None), 0, state, lambda batch: None)
    assert "COALESCE" in str(error.value)


def test_a_null_watermark_leaves_event_time_as_it_is(context: ExecutionContext) -> None:
    values = pa.array([5000, None, 7000], pa.timestamp("us"))
    operator = WatermarkAssigner(SCHEMA, 1, lambda batch: values, interval=0, table="t")
    state = operator.create_state(context)
    given: list[ChangeBatch] = []
    operator.process(rows(9, 9, 9), 0, state, given.append)
    assert given[0].before is not None
    assert given[0].before.tolist() == [NO_WATERMARK, 5, 5]
    assert operator.output_watermark(state) == 7


def test_a_restored_assigner_goes_on_where_it_was_at_the_newest_snapshot(context: ExecutionContext) -> None:
    operator = assigner(interval=5)
    state = operator.create_state(context)
    operator.process(rows(10), 0, state, lambda batch: None)
    snapshots = [state.snapshot()]
    operator.process(rows(14), 0, state, lambda batch: None)
    snapshots.insert(0, state.snapshot(changes_only=True))
    restored = operator.create_state(context)
    restored.restore(snapshots)
    given: list[ChangeBatch] = []
    operator.process(rows(15, 16, 17), 0, restored, given.append)
    assert given[0].before is not None
    assert given[0].before.tolist() == [10, 10, 16]
    with pytest.raises(TableRuntimeException, match="in row 6"):
        operator.process(rows(None), 0, restored, given.append)
