from __future__ import annotations

import random
from collections import Counter
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import AggregateFunction, MapView, TableAggregateFunction, as_user_function
from table_common.types import ArrayType, BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.user import UserAggregate
from table_runtime.streaming.aggregates.kept_rows import KeptRowsState
from table_runtime.streaming.aggregates.registry import create_function_state
from table_runtime.streaming.aggregates.user_accumulators import UserAccumulatorState

NUMBER = [pa.int64()]


class Median(AggregateFunction[int | None, MapView[int, int]]):
    """The lower median; counts its calls."""

    calls: ClassVar[Counter[str]] = Counter()

    def create_accumulator(self) -> MapView[int, int]:
        self.calls["create_accumulator"] += 1
        return MapView()

    def accumulate(self, accumulator: MapView[int, int], value: int) -> None:
        self.calls["accumulate"] += 1
        accumulator.put(value, (accumulator.get(value) or 0) + 1)

    def retract(self, accumulator: MapView[int, int], value: int) -> None:
        self.calls["retract"] += 1
        count = accumulator.get(value) or 0
        if count > 1:
            accumulator.put(value, count - 1)
        else:
            accumulator.remove(value)

    def get_value(self, accumulator: MapView[int, int]) -> int | None:
        self.calls["get_value"] += 1
        values = sorted(value for value, count in accumulator.items() for _ in range(count))
        return values[(len(values) - 1) // 2] if values else None


class Rows(TableAggregateFunction[int, list[int]]):
    """The values in order; the accumulator itself is the result."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator.append(value)

    def retract(self, accumulator: list[int], value: int) -> None:
        accumulator.remove(value)

    def emit_value(self, accumulator: list[int]) -> list[int]:
        return accumulator


def state_of(function: Any, types: int = 1) -> UserAccumulatorState:
    definition = as_user_function(function)
    output = definition.signatures[0].output.type
    assert output is not None
    output = ArrayType(output) if isinstance(function, TableAggregateFunction) else output
    accumulator = UserAggregate(definition, AggregateSpec(definition.name, (BigIntType(),) * types, output))
    state = create_function_state(accumulator, NUMBER * types, has_retractions=True)
    assert isinstance(state, UserAccumulatorState)
    return state


def random_changes(seed: int) -> list[Any]:
    chance = random.Random(seed)
    present: list[tuple[int, int | None]] = []
    changes = []
    for _ in range(60):
        if present and chance.random() < 0.4:
            slot, value = present.pop(chance.randrange(len(present)))
            changes.append((slot, -1, True, (value,)))
        else:
            slot, value = chance.randrange(3), chance.choice([1, 2, 3, None])
            present.append((slot, value))
            changes.append((slot, 1, True, (value,)))
    return changes


@pytest.mark.parametrize("function", [Median, Rows])
def test_results_equal_a_recomputation_for_any_batch_boundaries(function: type[Any], run_state: Any) -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    changes = random_changes(seed)
    accumulator = state_of(function()).accumulator
    wanted = run_state(KeptRowsState(accumulator, NUMBER), NUMBER, changes)
    for size in (1, 3, 100):
        assert run_state(state_of(function()), NUMBER, changes, size) == wanted
        assert run_state(state_of(function()), NUMBER, changes, size, new=lambda: state_of(function())) == wanted
        nets = run_state(state_of(function()), NUMBER, changes, size, nets=True)
        assert nets == run_state(KeptRowsState(accumulator, NUMBER), NUMBER, changes, size, nets=True)


def test_the_function_is_called_once_per_row(run_state: Any) -> None:
    state = state_of(Median())
    Median.calls.clear()
    changes = [(0, 1, True, (value,)) for value in range(100)] + [(0, -1, True, (5,))]
    run_state(state, NUMBER, changes, 7)
    assert Median.calls == {"create_accumulator": 1, "accumulate": 100, "retract": 1, "get_value": 101}
    Median.calls.clear()
    run_state(state_of(Median()), NUMBER, changes, 1000, nets=True)
    assert Median.calls["get_value"] == 1


def test_the_function_is_not_called_for_null_in_a_not_null_argument(run_state: Any) -> None:
    changes = [(0, 1, True, (None,)), (0, 1, True, (4,)), (0, -1, True, (None,))]
    assert run_state(state_of(Median()), NUMBER, changes) == [None, 4, 4]


def test_an_ended_group_restarts_with_a_new_accumulator(run_state: Any) -> None:
    changes = [(0, 1, True, (4,)), (0, -1, True, (4,)), (0, 1, True, (9,))]
    assert run_state(state_of(Rows()), NUMBER, changes) == [[4], [], [9]]


class Failing(Median):
    def retract(self, accumulator: Any, value: int) -> None:
        raise RuntimeError("no")


def test_a_failure_names_the_method_and_the_arguments(run_state: Any) -> None:
    with pytest.raises(TableRuntimeException, match=r"Failing.retract failed, called with \(4\): RuntimeError: no"):
        run_state(state_of(Failing()), NUMBER, [(0, 1, True, (4,)), (0, 1, True, (5,)), (0, -1, True, (4,))])


class Count(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int]) -> None:
        accumulator[0] += 1

    def retract(self, accumulator: list[int]) -> None:
        accumulator[0] -= 1

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def test_a_function_without_arguments_is_called_for_each_row(run_state: Any) -> None:
    changes = [(0, 1, True, ()), (0, 1, True, ()), (0, -1, True, ()), (0, 1, False, ())]
    assert run_state(state_of(Count(), 0), [], changes, 2) == [1, 2, 1, 1]
