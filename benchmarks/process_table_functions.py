"""Process table functions: rows per CPU second of a state machine with timers, called by the operator of the embedded engine, row by row and with many rows at once.

    python benchmarks/process_table_functions.py [--rows 1000000] [--smoke]

A machine starts with the first row of a key and sets a timer; one row in ten ends it and clears the timer; else the timer ends it. Two mixes: few keys, where
most rows meet a machine that runs, and as many keys as rows, where most rows make a new state and set a timer.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pyarrow as pa

from table_api import Row
from table_api.udf import (
    ArgumentHint,
    ArgumentTrait,
    OnTimerContext,
    ProcessBatchContext,
    ProcessContext,
    ProcessTableFunction,
    StateHint,
    function_hint,
)
from table_common.arrow import to_arrow_schema
from table_common.connector import ChangelogMode
from table_common.functions import UserFunction
from table_common.types import RowType, parse_logical_type
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.process_table import ProcessTable
from table_runtime.streaming.operators.process_table_forms import process_table
from table_runtime.streaming.operators.process_table_spec import TableColumns, process_spec

BATCH = 8192


@dataclass
class State:
    """A machine."""

    is_running: bool = False
    total: int = 0


class Machine(ProcessTableFunction[Row]):
    """Adds up values until a value ends the machine, or a timer does."""

    @function_hint(output="ROW<what STRING, total BIGINT>")
    def eval(
        self,
        context: ProcessContext,
        state: Annotated[State, StateHint()],
        r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)],
    ) -> Any:
        times = context.time_context(int)
        state.total += r.v
        if not state.is_running:
            state.is_running = True
            times.register_on_time("end", times.time() + 5000)
        elif r.v == 7:
            state.is_running = False
            times.clear_timer("end")
            yield "closed", state.total

    def on_timer(self, context: OnTimerContext, state: State) -> Any:
        yield "timeout", state.total
        state.is_running = False


class Machines(ProcessTableFunction[Row]):
    """The same machine, called with many rows of different keys at once."""

    @function_hint(output="ROW<what STRING, total BIGINT>")
    def eval_batch(
        self,
        context: ProcessBatchContext,
        state: Annotated[State, StateHint()],
        r: Annotated[pa.RecordBatch, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)],
    ) -> Any:
        value = r.column("v").to_numpy()
        state.total += value
        starts = ~state.is_running
        ends = state.is_running & (value == 7)
        state.is_running = (state.is_running | starts) & ~ends
        context.set_timers("end", context.times[starts] + 5000, starts)
        context.clear_timers("end", ends)
        yield ends, ("closed", state.total[ends])

    def on_timer_batch(self, context: ProcessBatchContext, state: State) -> Any:
        yield None, ("timeout", state.total.copy())
        state.is_running[:] = False


def operator(function: ProcessTableFunction[Row]) -> ProcessTable:
    """Returns the operator of a call of the machine, by the key ``k``."""
    table, output = (
        parse_logical_type(text)
        for text in ("ROW<k INT, t TIMESTAMP(3), v BIGINT>", "ROW<k INT, what STRING, total BIGINT, rowtime TIMESTAMP(3)>")
    )
    assert isinstance(table, RowType)
    assert isinstance(output, RowType)
    mode = ChangelogMode.insert_only()
    columns = TableColumns("r", table, to_arrow_schema(table), (0,), (), 1, (0,), mode)
    constants = Evaluator((), EvaluationContext())
    return process_table(process_spec(UserFunction(function), [columns], constants, to_arrow_schema(output), table.field_types[1], mode))


def measure(function: ProcessTableFunction[Row], keys: int, rows: int) -> None:
    """Prints the rows per CPU second, for a hundred rows per millisecond of event time."""
    call, emitted = operator(function), 0
    schema = call._spec.inputs[0].schema
    state = call.create_state(ExecutionContext(parallelism=1))
    chance = np.random.default_rng(1)
    key, value, at = chance.integers(0, keys, rows).astype(np.int32), chance.integers(0, 10, rows), np.arange(rows) // 100

    def receive(batch: ChangeBatch) -> None:
        nonlocal emitted
        emitted += batch.num_rows

    began = time.process_time()
    for start in range(0, rows, BATCH):
        part = slice(start, min(rows, start + BATCH))
        times = pa.array(at[part] * 1000, pa.int64()).cast(schema.field(1).type)
        batch = pa.RecordBatch.from_arrays([pa.array(key[part]), times, pa.array(value[part])], schema=schema)
        call.process(ChangeBatch(batch, None, at[part] - 1), 0, state, receive)
        watermark = int(at[part][-1]) - 1
        call.on_watermark(watermark, state, receive)
        state.watermark = watermark
    took = time.process_time() - began
    form = "many rows at once" if isinstance(function, Machines) else "row by row"
    print(f"{form:>18} {keys:>10,} keys {rows:>10,} rows {emitted:>9,} emitted {rows / took / 1e6:8.3f} M rows per CPU second")


def main() -> None:
    """Measures both mixes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    rows = 5_000 if options.smoke else options.rows
    for function in (Machine(), Machines()):
        measure(function, 10, 100)  # loads what the calls need
        measure(function, max(1, rows // 50), rows)
        measure(function, rows, rows)


if __name__ == "__main__":
    main()
