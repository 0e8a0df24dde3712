"""User aggregates in the hash aggregation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import AggregateFunction, DataTypeHint, ListView, as_user_function
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.user import UserAggregate
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan
from table_runtime.columns.keys import KeyCodec


def aggregate(function: Any, keys: list[int], *columns: list[Any]) -> list[Any]:
    definition = as_user_function(function)
    types = tuple(BigIntType() for _ in columns)
    output = definition.signatures[0].output.type
    assert output is not None
    accumulator = UserAggregate(definition, AggregateSpec(definition.name, types, output))
    plan = AggregationPlan(KeyCodec([pa.int64()]), [accumulator])
    half = len(keys) // 2
    parts = [
        plan.partial([pa.array(keys[s], pa.int64())], [[pa.array(c[s], pa.int64()) for c in columns]], len(keys[s]))
        for s in (slice(None, half), slice(half, None))
    ]
    result: list[Any] = plan.finish(plan.merge(parts))[0].to_pylist()
    return result


@dataclass
class State:
    total: int = 0
    seen: ListView[int] = field(default_factory=ListView)


class Weighted(AggregateFunction[float | None, State]):
    def create_accumulator(self) -> State:
        return State()

    def accumulate(self, accumulator: State, value: int, weight: int) -> None:
        accumulator.total += value * weight
        accumulator.seen.add(weight)

    def get_value(self, accumulator: State) -> float | None:
        weights = sum(accumulator.seen)
        return accumulator.total / weights if weights else None


def test_groups_over_several_batches() -> None:
    assert aggregate(Weighted, [1, 2, 1, 2], [10, 20, 30, 40], [1, 1, 3, 1]) == [25.0, 30.0]


def test_null_argument_skips_the_row() -> None:
    assert aggregate(Weighted, [1, 1], [10, None], [2, 5]) == [10.0]


def test_group_in_which_all_rows_are_skipped_has_the_value_of_an_empty_accumulator() -> None:
    assert aggregate(Weighted, [1, 1], [None, None], [1, 1]) == [None]


class Count(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int]) -> None:
        accumulator[0] += 1

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def test_aggregate_without_arguments_sees_the_rows() -> None:
    assert aggregate(Count, [1, 2, 1, 1]) == [3, 1]


class Columns(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], values: Annotated[pa.Array, DataTypeHint("BIGINT")]) -> None:
        accumulator.append(pc.max(values).as_py())

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def test_vectorized_aggregate_sees_a_group_at_once() -> None:
    assert aggregate(Columns, [1, 2, 1, 2], [1, 5, 7, 2]) == [7, 5]


class Failing(Count):
    def accumulate(self, accumulator: list[int], value: int) -> None:  # type: ignore[override]
        raise RuntimeError("no")


def test_exception_names_function_and_arguments() -> None:
    with pytest.raises(TableRuntimeException, match=r"Failing failed, called with \(5\): RuntimeError: no"):
        aggregate(Failing, [1, 1], [5, 6])
