"""What a call of many rows may yield, in which order its rows are emitted, and what its context does."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from process_functions import SCHEMA, SET, Count, call_of

from table_common.functions import ProcessBatchContext, ProcessTableFunction, StateHint
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.operators.process_table_calls import BatchCalls
from table_runtime.streaming.operators.process_table_columns import ProcessColumns


class Listed(ProcessTableFunction[str]):
    def eval_batch(self, context: ProcessBatchContext, count: Annotated[Count, StateHint()], r: Annotated[pa.RecordBatch, SET]) -> Any:
        assert context.timer is None
        count.rows += 1
        yield [1, 0], pa.record_batch({"what": ["second", "first"]})
        yield np.array([False, False]), (pa.chunked_array([[]], pa.string()),)
        context.clear(np.array([True, False]))

    def on_timer_batch(self, context: ProcessBatchContext, count: Any) -> Any:
        return [(None, (np.array([f"{context.timer} {time}" for time in context.times]),))]


def test_rows_are_emitted_in_the_order_of_what_caused_them() -> None:
    spec = call_of(Listed())
    state = ProcessColumns(ExecutionContext(parallelism=1), spec)
    assert state.keys is not None
    slots = state.keys.find_or_insert([pa.array([7, 8], pa.int32())], 2)
    state.prepare(2)
    found: list[Any] = []
    calls = BatchCalls(spec, state, found.append, 10, has_before=True)
    columns = [pa.array([7, 8], pa.int32()), pa.array([11, 12], pa.timestamp("ms")).cast(SCHEMA.field(1).type), pa.array([1, 1])]
    with state.invocation.in_use():
        places, befores = np.array([0, 1]), np.array([10, 20])
        calls.rows(pa.RecordBatch.from_arrays(columns, schema=SCHEMA), places, slots, np.array([11, 12]), befores)
        calls.timers("end", slots, np.array([19, 15]), np.array([1, 1]), befores)
        calls.flush()
        calls.flush()
    (batch,) = found
    assert batch.rows.column(1).to_pylist() == ["first", "end 15", "end 19", "second"]
    assert batch.rows.column(0).to_pylist() == [7, 8, 7, 8]
    assert batch.before.tolist() == [10, 10, 10, 20]
    assert [state.columns[0].value_of(slot) for slot in slots.tolist()] == [Count(0), Count(1)]
