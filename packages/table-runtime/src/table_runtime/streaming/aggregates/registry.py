"""Chooses the state of an aggregate call: a value, sums and counts, an object per group, or its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.exceptions import TableInternalError
from table_runtime.aggregates import Accumulator
from table_runtime.aggregates.bitmap import BitmapAgg
from table_runtime.aggregates.collect import ArrayAgg, Collect, ListAgg, Percentile
from table_runtime.aggregates.counting import Count
from table_runtime.aggregates.extremes import Max, Min
from table_runtime.aggregates.first_last import FirstValue, LastValue, SingleValue
from table_runtime.aggregates.json import JsonArrayAgg, JsonObjectAgg
from table_runtime.aggregates.moved_sums import MovedSum
from table_runtime.aggregates.sums import Average, Sum, SumOrZero
from table_runtime.aggregates.variance import DecimalSpread, Variance
from table_runtime.streaming import aggregates
from table_runtime.streaming.aggregates.additive import AdditiveState
from table_runtime.streaming.aggregates.bigint_sums import BigIntSumState
from table_runtime.streaming.aggregates.function import FunctionState


def create_function_state(accumulator: Accumulator, argument_types: Sequence[pa.DataType], *, has_retractions: bool) -> FunctionState:
    """Returns the empty state of a call over these arguments; ``has_retractions``: rows may be retracted.

    Raises:
        TableInternalError: ``STATES`` does not have the class of the accumulator.
    """
    if accumulator.spec.orders:
        return aggregates.KeptRowsState(accumulator, argument_types)
    if accumulator.is_user_defined:
        return _user(accumulator, argument_types)
    make = STATES.get(type(accumulator))
    if make is None:
        raise TableInternalError(f"There is no state over changelogs for the accumulator {type(accumulator).__name__}.")
    return make(accumulator, argument_types, has_retractions)


_Make = Callable[[Any, Sequence[pa.DataType], bool], FunctionState]
"""Makes the state of a call from its accumulator, the types of its arguments, and whether rows may be retracted."""


def _additive(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return AdditiveState(accumulator, types)


def _sum(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    is_bigint = list(types) == [pa.int64()] and accumulator.spec.arrow_type == pa.int64()
    return BigIntSumState(accumulator) if is_bigint else AdditiveState(accumulator, types)


def _extreme(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.CountedExtremeState(accumulator) if has_retractions else aggregates.ExtremeState(accumulator)


def _first_or_last(*, is_last: bool) -> _Make:
    def make(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
        if has_retractions:
            return aggregates.EndState(accumulator, types[0], is_last=is_last)
        return aggregates.FirstLastState(types[0], is_last=is_last)

    return make


def _variance(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.ExactMomentsState(accumulator) if has_retractions else aggregates.MomentsState(accumulator)


def _user(accumulator: Any, types: Sequence[pa.DataType]) -> FunctionState:
    # Vectorized functions need all rows of a group in one call.
    return aggregates.UserAccumulatorState(accumulator) if accumulator.keeps_accumulators else aggregates.KeptRowsState(accumulator, types)


# The names of `aggregates` are imported when they are first used.
STATES: dict[type[Accumulator], _Make] = {
    Count: _additive,
    Sum: _sum,
    SumOrZero: _sum,
    MovedSum: _sum,
    Average: _additive,
    Min: _extreme,
    Max: _extreme,
    FirstValue: _first_or_last(is_last=False),
    LastValue: _first_or_last(is_last=True),
    SingleValue: lambda accumulator, types, _: aggregates.SingleValueState(accumulator, types[0]),
    ArrayAgg: lambda accumulator, types, _: aggregates.ArrayState(accumulator, types[0]),
    Collect: lambda accumulator, types, _: aggregates.CollectState(accumulator, types[0]),
    ListAgg: lambda accumulator, *_: aggregates.ListAggState(accumulator),
    JsonArrayAgg: lambda accumulator, *_: aggregates.JsonArrayState(accumulator),
    JsonObjectAgg: lambda accumulator, *_: aggregates.JsonObjectState(accumulator),
    Percentile: lambda accumulator, *_: aggregates.PercentileState(accumulator),
    BitmapAgg: lambda accumulator, *_: aggregates.BitmapState(accumulator),
    Variance: _variance,
    DecimalSpread: _variance,
}
"""The state of each class of accumulators; those of user functions and of calls with ORDER BY do not need one."""
