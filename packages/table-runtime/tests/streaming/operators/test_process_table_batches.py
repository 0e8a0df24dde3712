"""Functions that are called with many rows at once: the same rows as called row by row, wherever batches are cut and state is restored."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pytest
from process_functions import ROWS, SCHEMA, SET, call_of

from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import (
    ArgumentHint,
    ArgumentTrait,
    OnTimerContext,
    ProcessBatchContext,
    ProcessContext,
    ProcessTableFunction,
    StateHint,
    function_hint,
)
from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.process_table import ProcessTable
from table_runtime.streaming.operators.process_table_batches import ProcessTableBatches, _rounds
from table_runtime.streaming.operators.process_table_forms import process_table
from table_testing.rounds import rounds

INPUT = (SCHEMA, 1)
CUTS = ((1, False), (3, False), (100, False), (1, True), (7, True))
OUTPUT = "ROW<what STRING, n BIGINT, v BIGINT>"


@dataclass
class State:
    rows: int = 0
    total: int = 0
    last: str | None = None


class One(ProcessTableFunction[Row]):
    @function_hint(output=OUTPUT)
    def eval(self, context: ProcessContext, state: Annotated[State, StateHint()], r: Annotated[Row, SET]) -> Any:
        times = context.time_context(int)
        state.rows += 1
        state.total += r.v
        state.last = f"v{r.v}"
        times.register_on_time("end", times.time() + 7)
        if r.v % 3 == 0:
            times.register_on_time("soon", times.time() + r.v - 2)
        if r.v == 5:
            times.clear_timer("end")
        yield "row", state.rows, r.v
        if r.v > 6:
            yield "large", state.total, r.v

    def on_timer(self, context: OnTimerContext, state: State) -> Any:
        yield f"{context.current_timer} {state.last}", state.rows, context.time_context(int).time()
        if context.current_timer == "soon" and state.rows % 2:
            context.time_context(int).register_on_time("end", context.time_context(int).time() + 1)
        if state.rows > 4:
            context.clear_all()


class Many(ProcessTableFunction[Row]):
    @function_hint(output=OUTPUT)
    def eval_batch(self, context: ProcessBatchContext, state: Annotated[State, StateHint()], r: Annotated[pa.RecordBatch, SET]) -> Any:
        v = r.column("v").to_numpy()
        state.rows += 1
        state.total += v
        state.last = np.array([f"v{value}" for value in v], object)
        context.set_timers("end", context.times + 7)
        soon = np.flatnonzero(v % 3 == 0)
        context.set_timers("soon", context.times[soon] + v[soon] - 2, soon)
        context.clear_timers("end", v == 5)
        yield None, ("row", state.rows, v)
        yield v > 6, {"v": v[v > 6], "what": "large", "n": state.total[v > 6]}

    def on_timer_batch(self, context: ProcessBatchContext, state: State) -> Any:
        last = state.last
        yield None, (pa.array([f"{context.timer} {one}" for one in last]), state.rows, context.times)
        if context.timer == "soon":
            odd = state.rows % 2 == 1
            context.set_timers("end", context.times[odd] + 1, odd)
        context.clear(state.rows > 4)


def steps_of(seed: int, length: int = 60) -> list[Any]:
    chance, time, result = random.Random(seed), 100, []
    for _ in range(length):
        time += chance.choice([0, 1, 2, 5])
        row = (chance.choice([None, 1, 2, 3]), max(1, time - chance.choice([0, 0, 0, 3, 20])), chance.randrange(9))
        result.append((0, "+I", row))
    return result


def by_key(given: list[Any]) -> dict[Any, list[Any]]:
    found = defaultdict(list)
    for _, row in given:
        found[row[0]].append(row)
    return dict(found)


def test_rows_and_timers_are_those_of_calls_row_by_row(play: Any) -> None:
    for seed in rounds(20):
        timing = {"delay": random.Random(seed).choice([0, 4, 12]), "interval": random.Random(seed).choice([0, 4])}
        expected = play(ProcessTable(call_of(One())), [INPUT], steps_of(seed), size=1, restores=False, **timing)
        for size, restores in CUTS:
            operator = process_table(call_of(Many()))
            assert isinstance(operator, ProcessTableBatches)
            given = play(operator, [INPUT], steps_of(seed), size=size, restores=restores, **timing)
            assert by_key(given) == by_key(expected), f"seed {seed}, {timing}, batches of {size}, restored: {restores}"


def test_rows_with_an_order_wait_for_the_watermark(play: Any) -> None:
    order = (SortKey(1), SortKey(2, ascending=False))
    for seed in rounds(10):
        expected = play(ProcessTable(call_of(One(), order_by=order)), [INPUT], steps_of(seed), size=1, restores=False, delay=4)
        for size, restores in CUTS:
            given = play(process_table(call_of(Many(), order_by=order)), [INPUT], steps_of(seed), size=size, restores=restores, delay=4)
            assert by_key(given) == by_key(expected), f"seed {seed}, batches of {size}, restored: {restores}"


def test_the_rows_of_one_key_do_not_follow_later_watermarks(play: Any) -> None:
    """Watermarks before the rows of a batch ascend, also where timers of other keys fire between them."""
    seen: list[int] = []
    operator = process_table(call_of(Many()))
    state = operator.create_state(ExecutionContext(parallelism=1))
    rows = [(key, time, 1) for time in range(100, 130) for key in (1, 2)]
    columns = [pa.array(values) for values in zip(*rows, strict=True)]
    batch = pa.RecordBatch.from_arrays(
        [columns[0].cast(pa.int32()), columns[1].cast(pa.timestamp("ms")).cast(SCHEMA.field(1).type), columns[2]], schema=SCHEMA
    )
    operator.process(ChangeBatch(batch, None, np.arange(60) // 2 + 99), 0, state, lambda out: seen.extend(out.before.tolist()))  # type: ignore[union-attr]
    assert seen == sorted(seen)
    assert len(seen) >= 60


def test_columns_are_passed_through_and_tables_of_rows_are_not_divided(play: Any) -> None:
    class Doubled(ProcessTableFunction[int]):
        def eval_batch(
            self, r: Annotated[pa.RecordBatch, ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE, ArgumentTrait.PASS_COLUMNS_THROUGH)]
        ) -> list[int]:
            v = r.column("v").to_numpy()
            yield v != 3, (2 * v[v != 3],)  # type: ignore[misc]

    steps = steps_of(1)
    for size in (1, 7, 100):
        operator = process_table(call_of(Doubled(), by=(), time=-1, through=(0, 1, 2)))
        given = play(operator, [INPUT], steps, size=size, restores=False)
        assert [row for _, row in given] == [(*row, 2 * row[2]) for _, _, row in steps if row[2] != 3]


def test_columns_of_sets_are_passed_through(play: Any) -> None:
    class Counted(ProcessTableFunction[int]):
        def eval_batch(
            self,
            state: Annotated[State, StateHint()],
            r: Annotated[pa.RecordBatch, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.PASS_COLUMNS_THROUGH)],
        ) -> list[int]:
            state.rows += 1
            yield None, (state.rows,)  # type: ignore[misc]

    steps = steps_of(2)
    counts: dict[Any, int] = defaultdict(int)
    expected = []
    for _, _, row in steps:
        counts[row[0]] += 1
        expected.append((*row, counts[row[0]]))
    for size, restores in CUTS:
        operator = process_table(call_of(Counted(), time=-1, through=(0, 1, 2)))
        assert [row for _, row in play(operator, [INPUT], steps, size=size, restores=restores)] == expected


def test_state_expires(play: Any) -> None:
    operator = process_table(call_of(Many(), ttl=timedelta(milliseconds=10)))
    state: Any = operator.create_state(ExecutionContext(parallelism=1))
    batch = pa.RecordBatch.from_arrays([pa.array([1], pa.int32()), pa.nulls(1, SCHEMA.field(1).type), pa.array([1])], schema=SCHEMA)
    counts: list[int] = []

    def receive(out: ChangeBatch) -> None:
        counts.extend(out.rows.column(2).to_pylist())

    for now in (0, 5, 14, 24):
        state.processing_time = now
        operator.process(ChangeBatch(batch), 0, state, receive)
    assert counts == [1, 2, 3, 1]


def call_with(yielded: Any = None, change: Any = None) -> Any:
    class Given(ProcessTableFunction[Row]):
        @function_hint(output=OUTPUT)
        def eval_batch(self, context: ProcessBatchContext, state: Annotated[State, StateHint()], r: Annotated[pa.RecordBatch, SET]) -> Any:
            if change is not None:
                change(context, state)
            yield (None, ("x", 1, 2)) if yielded is None else yielded

    operator = process_table(call_of(Given()))
    state = operator.create_state(ExecutionContext(parallelism=1))
    columns = [pa.array([1, 2], pa.int32()), pa.nulls(2, SCHEMA.field(1).type), pa.array([1, 1])]
    found: list[Any] = []
    operator.process(
        ChangeBatch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA)), 0, state, lambda out: found.extend(out.rows.to_pylist())
    )
    return found


def _text(context: Any, state: Any) -> None:
    state.rows = np.array(["a", "b"])


def _large(context: Any, state: Any) -> None:
    state.rows = np.array([1.5, 2.0])


def _short(context: Any, state: Any) -> None:
    state.total = np.array([1, 2, 3])


def _timer(context: Any, state: Any) -> None:
    context.set_timers("end", 1)


def _failing(context: Any, state: Any) -> None:
    raise ValueError("no such machine")


@pytest.mark.parametrize(
    ("yielded", "change", "message"),
    [
        (7, None, "Given yielded int"),
        ((None, (1, 2)), None, "yielded 2 columns, but its rows have what STRING, n BIGINT, v BIGINT"),
        ((None, {"what": "x", "n": 1, "w": 2}), None, "yielded what, n, w, but its rows have"),
        (([2], ("x", 1, 2)), None, "yielded rows that are no positions from 0 to 1"),
        ((None, ("x", 1, [1, 2, 3])), None, "yielded 3 values in the column 'v' for 2 rows"),
        ((None, ("x", 1, ["a", "b"])), None, "yielded a wrong value: the column 'v' is declared as BIGINT"),
        (
            None,
            _text,
            "The state 'state' of the function .*Given has values of the type <U1 in its field 'rows' after a call, which is declared as BIGINT",
        ),
        (None, _large, "has values of the type float64 in its field 'rows'"),
        (None, _short, "has 3 values for 2 rows in its field 'total'"),
        (None, _timer, "Timers are not supported in the current PTF declaration"),
        (None, _failing, "Given failed.*ValueError: no such machine"),
    ],
)
def test_what_a_function_does_wrong_is_said(yielded: Any, change: Any, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        call_with(yielded, change)


def test_rounds_have_each_key_once() -> None:
    assert [one.tolist() for one in _rounds(np.array([5, 7, 5, 5, 7, 9]))] == [[0, 1, 5], [2, 4], [3]]
    assert [one.tolist() for one in _rounds(np.array([3, 1, 2]))] == [[0, 1, 2]]
    assert list(_rounds(np.zeros(0, np.int64))) == []
    assert ROWS.traits
