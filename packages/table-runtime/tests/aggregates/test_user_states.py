"""User aggregates whose accumulators are merged, as pickled states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import AggregateFunction, as_user_function
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.user_states import UserStates, defines_merge
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan, States
from table_runtime.columns.keys import KeyCodec


class Total(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def merge(self, accumulator: list[int], others: Any) -> None:
        for other in others:
            accumulator[0] += other[0]

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class WithoutMerge(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def plan_of(function: Any, *, is_filtered: bool = False) -> AggregationPlan:
    definition = as_user_function(function)
    spec = AggregateSpec(definition.name, (BigIntType(),), BigIntType())
    return AggregationPlan(KeyCodec([pa.string()]), [UserStates(definition, spec, is_filtered=is_filtered)])


def partial(plan: AggregationPlan, keys: list[str], *columns: list[Any]) -> States:
    arrays = [pa.array(column, pa.bool_() if isinstance(column[0], bool) else pa.int64()) for column in columns]
    return plan.partial([pa.array(keys)], [arrays], len(keys))


def results(plan: AggregationPlan, *parts: States) -> dict[str, Any]:
    merged = plan.merge(list(parts))
    return dict(zip(merged.keys[0].to_pylist(), plan.finish(merged)[0].to_pylist(), strict=True))


def test_states_of_several_batches_are_merged() -> None:
    plan = plan_of(Total)
    assert results(plan, partial(plan, ["a", "b", "a"], [1, 10, 2]), partial(plan, ["a", "c"], [4, 100])) == {"a": 7, "b": 10, "c": 100}


def test_states_are_bytes_that_another_process_can_read() -> None:
    here, there = plan_of(Total), plan_of(Total)
    state = partial(here, ["a"], [5])
    assert state.columns[0][0].type == pa.binary()
    assert results(there, state, partial(there, ["a"], [6])) == {"a": 11}


def test_rows_that_the_filter_rejects_do_not_count() -> None:
    plan = plan_of(Total, is_filtered=True)
    first = partial(plan, ["a", "a", "b"], [1, 2, 3], [True, False, False])
    assert results(plan, first, partial(plan, ["a"], [8], [True])) == {"a": 9, "b": 0}


def test_an_empty_list_of_states_is_the_value_over_no_rows() -> None:
    definition = as_user_function(Total)
    states = UserStates(definition, AggregateSpec("total", (BigIntType(),), BigIntType()))
    assert states.finish_states(pa.array([[]], pa.list_(pa.binary()))).to_pylist() == [0]


@dataclass
class Hidden:
    total: int = 0


class HiddenTotal(AggregateFunction[int, Hidden]):
    def create_accumulator(self) -> Hidden:
        return Hidden()

    def accumulate(self, accumulator: Hidden, value: int) -> None:
        accumulator.total += value

    def merge(self, accumulator: Hidden, others: Any) -> None:
        accumulator.total += sum(other.total for other in others)

    def get_value(self, accumulator: Hidden) -> int:
        return accumulator.total


def test_an_accumulator_of_a_class_that_cannot_be_imported_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    definition = as_user_function(HiddenTotal)
    monkeypatch.delitem(globals(), "Hidden")
    plan = AggregationPlan(KeyCodec([pa.string()]), [UserStates(definition, AggregateSpec("t", (BigIntType(),), BigIntType()))])
    monkeypatch.undo()
    assert results(plan, partial(plan, ["a"], [5]), partial(plan, ["a"], [6])) == {"a": 11}


def test_an_accumulator_that_cannot_be_pickled_is_an_error_with_a_hint() -> None:
    class Unpicklable(Total):
        def create_accumulator(self) -> Any:
            return [lambda: 0]

        def accumulate(self, accumulator: Any, value: int) -> None:
            return None

    plan = plan_of(Unpicklable)
    with pytest.raises(TableRuntimeException, match="cannot be pickled") as caught:
        partial(plan, ["a"], [1])
    assert "plain values" in (caught.value.hint or "")


def test_a_failing_merge_names_the_function() -> None:
    class Failing(Total):
        def merge(self, accumulator: list[int], others: Any) -> None:
            raise ValueError("no merge today")

    plan = plan_of(Failing)
    with pytest.raises(TableRuntimeException, match=r"Failing\.merge.*no merge today"):
        plan.merge([partial(plan, ["a"], [1]), partial(plan, ["a"], [2])])


def test_only_a_function_with_merge_has_states() -> None:
    assert [defines_merge(as_user_function(function)) for function in (Total, WithoutMerge)] == [True, False]
