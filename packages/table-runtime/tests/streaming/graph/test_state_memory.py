"""Tests for table_runtime.streaming.graph.state_memory."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.graph.state_memory import StateMemory, size_of
from table_runtime.streaming.operators.operator import OperatorState
from table_runtime.streaming.state.key_slots import KeySlots


class Held:
    __slots__ = ("array", "owner")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.owner = self


class Keyed(OperatorState):
    def __init__(self, keys: int) -> None:
        super().__init__(ExecutionContext())
        self.keys: KeySlots = KeySlots([pa.int64()])
        self.keys.find_or_insert([pa.array(range(keys))], keys)


def test_arrays_count_once_with_what_is_allocated() -> None:
    array = np.zeros(100_000, np.int64)
    size = size_of(Held([array, array[:10], Held(array)]))
    assert 800_000 <= size < 801_000
    batch = pa.record_batch({"a": pa.array(range(1000))})
    assert 8_000 <= size_of({"batch": batch}) < 9_000


@pytest.mark.parametrize("make", [list, tuple, set, dict.fromkeys])
def test_of_large_collections_a_part_is_measured(make: Any) -> None:
    elements = [f"{number:>1000}" for number in range(10_000)]
    assert 10_000_000 <= size_of(make(elements)) < 12_000_000


def test_functions_types_and_the_context_of_the_run_are_no_state() -> None:
    context = ExecutionContext()
    context.__dict__["large"] = np.zeros(10_000)
    assert size_of([context, lambda: context, int, defaultdict(list)]) < 1000


def test_state_above_the_limit_names_the_operator_its_size_and_the_option() -> None:
    now = 0.0
    memory = StateMemory(1 << 20, lambda: now)
    states = [Keyed(10), Keyed(200_000), OperatorState(ExecutionContext())]
    operators = cast("Any", ["Deduplicate(k)", "GroupAggregate(k)", "Filter"])
    memory.look(operators, states)
    assert states[1].metrics.state_bytes is None, "it is measured once a second"
    now = 1.0
    pattern = r"The state of the job takes \d+\.\d MB, and 'table.exec.state.memory' is 1\.0 MB: GroupAggregate\(k\) keeps \d+\.\d MB for 200,000 keys\."
    with pytest.raises(TableRuntimeException, match=pattern):
        memory.look(operators, states)
    assert dict(states[1].metrics.values())["stateBytes"] > 1_600_000
    assert "stateBytes" not in dict(states[2].metrics.values())


def test_state_within_the_limit_is_measured_only() -> None:
    now = 0.0
    memory = StateMemory(1 << 30, lambda: now)
    states = [Keyed(10)]
    now = 5.0
    memory.look(cast("Any", ["a"]), states)
    size = states[0].metrics.state_bytes
    assert size is not None
    assert 0 < size < 1 << 20
