"""Runs calls of OVER windows over random rows in steps, and gives the rows of each partition so far."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.over.calls import AnyCalls, CallState, OverRows
from table_runtime.streaming.state.key_slots import KeySlots

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64()), ("d", pa.int64())])
Partition = list[tuple[int, int | None, int]]
"""The time, the value and the second value of each row of a partition."""
Check = Callable[[AnyCalls, Sequence[Callable[[Partition, int], Any]]], None]


def _steps(chance: random.Random) -> Iterator[list[tuple[int, int, int | None, int]]]:
    """Yields rows of a slot, a time and two values, sorted; the times of each step are later than those before."""
    for start in range(0, 80, 10):
        rows = [
            (chance.randrange(3), start + chance.randrange(10), chance.choice([None, 1, 2, 5]), chance.randrange(9))
            for _ in range(chance.choice([1, 2, 8]))
        ]
        yield sorted(rows, key=lambda row: row[:2])


@pytest.fixture(params=range(4))
def check(request: pytest.FixtureRequest, context: ExecutionContext) -> Check:
    """Compares calls with functions from the rows of a partition, and the position of the current one, to its result.

    Times at which rows are emitted are the steps: a function sees no later ones. Half of the runs write the state and read it back after each step.
    """

    def check(calls: AnyCalls, expected: Sequence[Callable[[Partition, int], Any]]) -> None:
        keys = KeySlots([pa.int64()])
        keys.find_or_insert([pa.array([0, 1, 2])], 3)
        state: CallState = calls.create_state(context, keys)
        known: dict[int, Partition] = {}
        for step in _steps(random.Random(request.param)):
            slots, times, *columns = zip(*step, strict=True)
            arrays = [pa.array(slots, pa.int64()), *(pa.array(column, pa.int64()) for column in columns)]
            rows = OverRows(pa.RecordBatch.from_arrays(arrays, schema=SCHEMA), np.array(slots), np.array(times), has_peers=True)
            for slot, *row in step:
                known.setdefault(slot, []).append((row[0], row[1], row[2]))
            results = [result.to_pylist() for result in calls.results(rows, state)]
            at = {slot: len(known[slot]) - slots.count(slot) for slot in set(slots)}
            for place, slot in enumerate(slots):
                found = [result[place] for result in results]
                assert found == [function(known[slot], at[slot]) for function in expected]
                at[slot] += 1
            if request.param % 2:
                state = _restored(calls, state, keys, context)

    return check


def _restored(calls: AnyCalls, state: CallState, keys: KeySlots, context: ExecutionContext) -> CallState:
    fresh: CallState = calls.create_state(context, keys)
    tables = fresh.tables()
    for name, table in state.tables().items():
        tables[name].restore(np.arange(3), table.snapshot(np.arange(3)))
    return fresh
