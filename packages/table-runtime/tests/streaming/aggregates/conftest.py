"""Runs the states of aggregate functions, and compares their results with a recomputation from all rows of the group."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from table_common.functions import FunctionDefinition
from table_common.types import LogicalType
from table_runtime.aggregates import Accumulator, AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.columns.plain_types import to_plain
from table_runtime.streaming.aggregates.function import FunctionState
from table_runtime.streaming.aggregates.kept_rows import KeptRowsState
from table_runtime.streaming.aggregates.registry import create_function_state
from table_runtime.streaming.changes.running_counts import running_counts
from table_runtime.streaming.changes.segments import Segments
from table_runtime.streaming.changes.slot_groups import SlotGroups


class Row(NamedTuple):
    """A change of one group; ``sign`` 0: FILTER excludes the row, but it counts as a row of the group."""

    slot: int
    sign: int
    counts: bool
    args: tuple[Any, ...]


Run = Callable[..., list[Any]]


def _moved(state: FunctionState, to: FunctionState) -> FunctionState:
    """Copies a state through two snapshots, with the slots in another order."""
    to.reserve(64)
    for slots in (np.arange(63, 31, -1), np.arange(32)):
        content = state.snapshot(slots)
        target = pa.BufferOutputStream()
        with pa.ipc.new_stream(target, content.schema) as writer:
            writer.write_batch(content)
        to.restore(slots, pa.ipc.open_stream(target.getvalue()).read_next_batch())
    return to


def _run(
    state: FunctionState,
    types: Sequence[pa.DataType],
    rows: Sequence[Row | tuple[Any, ...]],
    size: int = 1000,
    *,
    nets: bool = False,
    new: Callable[[], FunctionState] | None = None,
) -> list[Any]:
    """Returns the result after each row, in row order; with ``nets`` the result of each group after each batch.

    With ``new``, the state is saved after each batch and restored into a new one.
    """
    counts = np.zeros(64, np.int64)
    results: list[Any] = []
    state.reserve(64)
    for start in range(0, len(rows), size):
        if new is not None and start:
            state = _moved(state, new())
        batch = [Row(*row) for row in rows[start : start + size]]
        groups = SlotGroups(np.array([row.slot for row in batch], np.int64))
        signs = np.array([row.sign for row in batch], np.int64)[groups.order]
        running = running_counts(signs, np.repeat(counts[groups.slots], groups.sizes), groups)
        counts[groups.slots] = running.after[groups.ends - 1]
        wanted = None
        if nets:
            wanted = np.zeros(len(batch), np.bool_)
            wanted[groups.ends - 1] = True
        segments = Segments(groups, running.before, running.after, wanted)
        args = [pa.array([row.args[i] for row in batch], type_).take(pa.array(groups.order)) for i, type_ in enumerate(types)]
        own = (running.after - running.before) * np.array([row.counts for row in batch])[groups.order]
        after = to_plain(state.advance(args, own, segments)).to_pylist()
        assert len(after) == len(batch)
        if nets:
            results.append({int(slot): after[end - 1] for slot, end in zip(groups.slots, groups.ends, strict=True)})
            live = np.flatnonzero(counts)
            current = dict(zip(live.tolist(), to_plain(state.current(live)).to_pylist(), strict=True))
            for slot, result in results[-1].items():
                assert slot not in current or repr(current[slot]) == repr(result)
            continue
        in_order = [None] * len(batch)
        for place, result in zip(groups.order.tolist(), after, strict=True):
            in_order[place] = result
        results += in_order
    return results


@pytest.fixture
def run_state() -> Run:
    return _run


@pytest.fixture
def accumulator_of() -> Callable[..., Accumulator]:
    def make(function: FunctionDefinition, types: Sequence[LogicalType], output: LogicalType, constants: Sequence[Any] = ()) -> Accumulator:
        return make_accumulator(function, AggregateSpec(function.name, tuple(types), output, tuple(constants)))

    return make


def random_rows(
    seed: int, row: Callable[[random.Random], tuple[Any, ...]], length: int = 80, *, retracts: bool = True, absent: bool = True
) -> list[Row]:
    """Returns insertions of random rows into three groups and retractions, some of rows that do not exist."""
    chance = random.Random(seed)
    present: list[tuple[int, bool, tuple[Any, ...]]] = []
    rows = []
    for _ in range(length):
        if retracts and present and chance.random() < 0.45:
            rows.append(Row((old := present.pop(chance.randrange(len(present))))[0], -1, old[1], old[2]))
        elif retracts and absent and chance.random() < 0.05:
            rows.append(Row(chance.randrange(3), -1, True, row(chance)))
        else:
            new = chance.randrange(3), chance.random() < 0.9, row(chance)
            present.append(new)
            rows.append(Row(new[0], 1, new[1], new[2]))
    return rows


@pytest.fixture
def agrees(accumulator_of: Callable[..., Accumulator]) -> Callable[..., None]:
    """Asserts that the results of a state equal a recomputation from all rows of each group, for several batch sizes."""

    def check(
        function: FunctionDefinition,
        types: Sequence[LogicalType],
        output: LogicalType,
        row: Callable[[random.Random], tuple[Any, ...]],
        *,
        constants: Sequence[Any] = (),
        retracts: bool = True,
        absent: bool = True,
        same: Callable[[Any], Any] = repr,
    ) -> None:
        seed = random.randrange(1 << 30)
        print("seed", seed)
        accumulator = accumulator_of(function, types, output, constants)
        arrow = [AggregateSpec("", (), type_).arrow_type for type_ in types]
        for number in range(2):
            rows = random_rows(seed + number, row, retracts=retracts, absent=absent)
            wanted = list(map(same, _run(KeptRowsState(accumulator, arrow), arrow, rows)))

            def new() -> FunctionState:
                return create_function_state(accumulator, arrow, has_retractions=retracts)

            assert not isinstance(new(), KeptRowsState)
            for size in (1, 2, 7, 1000):
                assert list(map(same, _run(new(), arrow, rows, size))) == wanted
            assert list(map(same, _run(new(), arrow, rows, 5, new=new))) == wanted
            kept = _run(KeptRowsState(accumulator, arrow), arrow, rows, 5, new=lambda: KeptRowsState(accumulator, arrow))
            assert list(map(same, kept)) == wanted
            for size in (7, 1000):
                kept = _run(KeptRowsState(accumulator, arrow), arrow, rows, size, nets=True)
                state = create_function_state(accumulator, arrow, has_retractions=retracts)
                nets = _run(state, arrow, rows, size, nets=True)
                assert [{k: same(v) for k, v in net.items()} for net in nets] == [{k: same(v) for k, v in net.items()} for net in kept]

    return check
