"""Process table functions on rows in event time: compared with a model row by row, wherever batches are cut and state is restored."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pytest
from process_functions import SCHEMA, SET, Count, Machine, Machines, call_of

from table_common.connector import ChangelogMode, RowKind
from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import ArgumentHint, ArgumentTrait, OnTimerContext, ProcessContext, ProcessTableFunction, StateHint
from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.process_table import ProcessTable
from table_runtime.streaming.time.watermarks import END_OF_TIME
from table_testing.rounds import rounds

INPUT = (SCHEMA, 1)
CUTS = ((1, False), (3, False), (100, False), (1, True), (7, True))


def random_steps(chance: random.Random, length: int, inputs: int = 1) -> list[Any]:
    time, result = 100, []
    for _ in range(length):
        time += chance.choice([0, 1, 2, 5])
        row = (chance.choice([None, 1, 2, 3]), max(1, time - chance.choice([0, 0, 0, 3, 20])), chance.randrange(9))
        result.append((chance.randrange(inputs), "+I", row))
    return result


class Model:
    """``Machine`` row by row, in dictionaries."""

    def __init__(self) -> None:
        self.state: dict[Any, dict[str, Any]] = {}
        self.timers: list[tuple[int, bool, int, Any, Any]] = []
        self.number = 0
        self.rows: list[tuple[Any, ...]] = []

    def register(self, key: Any, name: str | None, time: int) -> None:
        same = [timer for timer in self.timers if timer[3] == key and timer[4] == (time if name is None else name)]
        if same and name is None:
            return
        self.timers = [timer for timer in self.timers if timer not in same]
        self.timers.append((time, name is not None, self.number, key, time if name is None else name))
        self.number += 1

    def row(self, key: Any, time: int, v: int) -> None:
        state = self.state.setdefault(key, {"rows": 0, "last": None, "seen": 0, "even": None, "odd": None})
        state["rows"] += 1
        state["last"] = f"v{v}"
        state["seen"] += 1
        parity = "even" if v % 2 == 0 else "odd"
        state[parity] = (state[parity] or 0) + v
        self.register(key, "end", time + 7)
        self.register(key, None, time + v)
        if v == 3:
            self.timers = [timer for timer in self.timers if timer[3:] != (key, "end")]
        self.rows += [(key, "row", state["rows"], state["seen"], time), (key, parity, state[parity], v, time)]
        if v == 5:
            state["seen"] = 0

    def watermark(self, watermark: int) -> None:
        while due := sorted((timer for timer in self.timers if timer[0] <= watermark), key=lambda timer: timer[:3]):
            timer = due[0]
            self.timers.remove(timer)
            time, has_name, _, key, name = timer
            state = self.state.get(key) or {"rows": 0, "last": None, "seen": 0, "even": None, "odd": None}
            if not has_name:
                self.rows.append((key, "timer", time, state["odd"], time))
                continue
            self.rows.append((key, f"{name} {state['last']}", time, state["rows"], time))
            if state["rows"] > 4:
                self.state.pop(key, None)
                self.timers = [one for one in self.timers if one[3] != key]


def test_rows_and_timers_are_those_of_a_model_wherever_batches_are_cut(play: Any, event_time: Any) -> None:
    for seed in rounds(20):
        chance = random.Random(seed)
        timing = {"delay": chance.choice([0, 4, 12]), "interval": chance.choice([0, 4])}
        steps, model, clock = random_steps(chance, 60), Model(), event_time(1, **timing)
        for _, _, (key, time, v) in steps:
            model.row(key, time, v)
            if clock.advance(0, time):
                model.watermark(clock.current)
        model.watermark(END_OF_TIME)
        for size, restores in CUTS:
            given = play(ProcessTable(call_of(Machine())), [INPUT], steps, size=size, restores=restores, **timing)
            assert [row for _, row in given] == model.rows, f"seed {seed}, {timing}, batches of {size}, restored: {restores}"


def test_rows_of_two_tables_meet_by_key(play: Any) -> None:
    steps = random_steps(random.Random(3), 60, 2)
    counts: dict[Any, int] = {}
    expected = []
    for number, _, (key, _, v) in steps:
        counts[key] = counts.get(key, 0) + 1
        expected.append((key, key, f"{('one', 'other')[number]} {v} {counts[key]}"))
    for size, restores in CUTS:
        call = call_of(Machines(), "one", "other", time=-1)
        given = play(ProcessTable(call), [INPUT, INPUT], steps, size=size, restores=restores)
        assert [row for _, row in given] == expected


def test_rows_with_an_order_wait_for_the_watermark_and_late_ones_are_dropped(play: Any, event_time: Any) -> None:
    class Listed(ProcessTableFunction[str]):
        def eval(self, count: Annotated[Count, StateHint()], r: Annotated[Row, SET]) -> Any:
            count.rows += 1
            yield f"{count.rows} {r.v}"

    order = (SortKey(1), SortKey(2, ascending=False))
    for seed in rounds(10):
        steps = random_steps(random.Random(seed), 60)
        clock, in_time = event_time(1, 4, 0), []
        for _, _, row in steps:
            if row[1] > clock.current:
                in_time.append(row)
            clock.advance(0, row[1])
        counts: dict[Any, int] = {}
        expected = []
        for key, time, v in sorted(in_time, key=lambda row: (row[1], -row[2])):
            counts[key] = counts.get(key, 0) + 1
            expected.append((key, f"{counts[key]} {v}", time))
        for size, restores in CUTS:
            given = play(ProcessTable(call_of(Listed(), order_by=order)), [INPUT], steps, size=size, restores=restores, delay=4)
            assert sorted([row for _, row in given], key=repr) == sorted(expected, key=repr), f"seed {seed}, {size}, {restores}"
            assert play.late_rows == len(steps) - len(in_time)


def test_ordered_rows_pass_their_columns_through(play: Any, event_time: Any) -> None:
    class Numbered(ProcessTableFunction[int]):
        def eval(
            self,
            count: Annotated[Count, StateHint()],
            r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.PASS_COLUMNS_THROUGH)],
        ) -> Iterator[int]:
            count.rows += 1
            yield count.rows

    steps = random_steps(random.Random(5), 60)
    for size, restores in CUTS:
        call = call_of(Numbered(), order_by=(SortKey(1), SortKey(2)), through=(0, 1, 2))
        given = play(ProcessTable(call), [INPUT], steps, size=size, restores=restores, delay=100)
        counts: dict[Any, int] = {}
        expected = []
        for row in sorted((row for _, _, row in steps), key=lambda row: (row[1], row[2])):
            counts[row[0]] = counts.get(row[0], 0) + 1
            expected.append((*row, counts[row[0]], row[1]))
        assert sorted((row for _, row in given), key=repr) == sorted(expected, key=repr), f"{size}, {restores}"


def test_a_timer_that_is_always_set_for_its_own_time_is_an_error(play: Any) -> None:
    class Again(ProcessTableFunction[int]):
        max_rows_per_call = 500

        def eval(self, context: ProcessContext, count: Annotated[Count, StateHint()], r: Annotated[Row, SET]) -> Iterator[int]:
            times = context.time_context(int)
            times.register_on_time("again", times.time())
            yield 1

        def on_timer(self, context: OnTimerContext, count: Count) -> None:
            times = context.time_context(int)
            times.register_on_time("again", times.time())

    with pytest.raises(TableRuntimeException, match=r"The timer again of the function .*Again has fired 500 times"):
        play(ProcessTable(call_of(Again())), [INPUT], random_steps(random.Random(6), 20))


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), KeyError("k")])
def test_a_call_that_ends_the_program_has_failed(play: Any, error: BaseException) -> None:
    class Ending(ProcessTableFunction[int]):
        def eval(self, r: Annotated[Row, SET]) -> Iterator[int]:
            raise error

    with pytest.raises(TableRuntimeException, match=f"Ending failed in row 1 .*{type(error).__name__}"):
        play(ProcessTable(call_of(Ending())), [INPUT], random_steps(random.Random(7), 5))


def batch_of(*rows: tuple[Any, ...], kinds: list[int] | None = None) -> ChangeBatch:
    columns = [pa.array(list(values), field.type) for values, field in zip(zip(*rows, strict=True), SCHEMA, strict=True)]
    return ChangeBatch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA), None if kinds is None else np.array(kinds, np.int8))


def rows_of(batches: list[ChangeBatch]) -> list[tuple[Any, ...]]:
    return [row for batch in batches for row in zip(*(column.to_pylist() for column in batch.rows.columns), strict=True)]


def test_state_expires_by_the_last_call_of_its_key() -> None:
    class Kept(ProcessTableFunction[str]):
        def eval(
            self,
            short: Annotated[Count, StateHint(ttl=timedelta(milliseconds=10))],
            default: Annotated[Count, StateHint()],
            always: Annotated[Count, StateHint(ttl=timedelta(0))],
            r: Annotated[Row, SET],
        ) -> Any:
            for state in (short, default, always):
                state.rows += 1
            return [f"{short.rows} {default.rows} {always.rows}"]

    operator = ProcessTable(call_of(Kept(), time=-1, ttl=timedelta(milliseconds=100)))
    with_context = ExecutionContext(parallelism=1)
    state, out = operator.create_state(with_context), list[ChangeBatch]()
    for now in (0, 5, 20, 200):
        state.set_time(now, (0,))
        operator.process(batch_of((1, None, 1)), 0, state, out.append)
    assert [row[1] for row in rows_of(out)] == ["1 1 1", "2 2 2", "1 3 3", "1 1 4"]
    state.set_time(1000, (0,))
    assert state.is_live(np.array([0])).all()  # one entry is kept for ever


def test_a_key_without_state_and_timers_is_not_live() -> None:
    operator = ProcessTable(call_of(Machine()))
    state, out = operator.create_state(ExecutionContext(parallelism=1)), list[ChangeBatch]()
    operator.process(batch_of(*((1, 1000, 2) for _ in range(5))), 0, state, out.append)
    assert state.is_live(np.array([0])).all()
    operator.on_watermark(END_OF_TIME, state, out.append)
    assert not state.is_live(np.array([0])).any()


def test_changes_have_their_kinds_and_only_allowed_ones_are_emitted() -> None:
    class Same(ProcessTableFunction[int]):
        def eval(
            self,
            context: ProcessContext,
            r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.SUPPORT_UPDATES)],
        ) -> Any:
            assert context.table_semantics_for("r").changelog_mode == ChangelogMode.all()
            yield Row.of_kind(r.get_row_kind(), r.v)

    batch = batch_of((1, None, 1), (1, None, 1), (1, None, 2), (1, None, 2), kinds=[0, 1, 2, 3])
    for mode, expected in ((ChangelogMode.all(), [0, 1, 2, 3]), (ChangelogMode.upsert(), [0, 2, 3])):
        operator = ProcessTable(call_of(Same(), time=-1, modes=[ChangelogMode.all()], mode=mode))
        out: list[ChangeBatch] = []
        operator.process(batch, 0, operator.create_state(ExecutionContext(parallelism=1)), out.append)
        assert [kind for one in out for kind in one.all_kinds.tolist()] == expected
    assert RowKind.UPDATE_BEFORE not in ChangelogMode.upsert().kinds


def test_without_partitions_all_rows_are_one(play: Any) -> None:
    steps = random_steps(random.Random(1), 30)
    for size, restores in CUTS:
        given = play(ProcessTable(call_of(Machines(), "one", by=(), time=-1)), [INPUT], steps, size=size, restores=restores)
        assert [row[0].split()[-1] for _, row in given] == [str(number + 1) for number in range(30)]


def test_a_snapshot_before_the_first_row_is_empty() -> None:
    operator = ProcessTable(call_of(Machine()))
    state = operator.create_state(ExecutionContext(parallelism=1))
    assert not state.snapshot().buckets
    assert state.call_context.watermark == NO_WATERMARK
    assert operator.layout() == {"states": [[entry.name, str(entry.extracted.type)] for entry in call_of(Machine()).signature.states]}


@pytest.mark.parametrize("by", [(0,), ()])
def test_rows_are_divided_by_partition(by: tuple[int, ...]) -> None:
    keys = ProcessTable(call_of(Machines(), "one", by=by, time=-1)).exchange_keys(0)
    assert (getattr(keys, "positions", None) == (0,)) == bool(by)
