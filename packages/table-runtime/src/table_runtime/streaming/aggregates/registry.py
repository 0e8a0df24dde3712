"""Chooses the state of an aggregate call: a value, sums and counts, an object per group, or its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from table_common.exceptions import TableInternalError
from table_common.tree import TypeDispatch
from table_runtime.aggregates import Accumulator
from table_runtime.aggregates.bitmap import BitmapAgg
from table_runtime.aggregates.collect import ArrayAgg, Collect, ListAgg, Percentile
from table_runtime.aggregates.counting import Count
from table_runtime.aggregates.extremes import Extreme, Max, Min
from table_runtime.aggregates.first_last import FirstValue, LastValue, SingleValue
from table_runtime.aggregates.json import JsonArrayAgg, JsonObjectAgg
from table_runtime.aggregates.moved_sums import MovedSum
from table_runtime.aggregates.sums import Average, Sum, SumOrZero
from table_runtime.aggregates.variance import DecimalSpread, Variance
from table_runtime.streaming import aggregates
from table_runtime.streaming.aggregates.additive import AdditiveState
from table_runtime.streaming.aggregates.bigint_sums import BigIntSumState
from table_runtime.streaming.aggregates.function import FunctionState

state_of: TypeDispatch[[Sequence[pa.DataType], bool], FunctionState] = TypeDispatch("A changelog", package=__package__)
"""Creates the state of a call from its accumulator, the types of its arguments, and whether rows may be retracted.

States that have an accumulator of their own are registered in their file, which has the name of the accumulator's; those of calls with ORDER BY and
of user functions are not registered.
"""


def create_function_state(accumulator: Accumulator, argument_types: Sequence[pa.DataType], *, has_retractions: bool) -> FunctionState:
    """Returns the empty state of a call over these arguments; ``has_retractions``: rows may be retracted.

    Raises:
        TableInternalError: no state is registered for the class of the accumulator.
    """
    if accumulator.spec.orders:
        return aggregates.KeptRowsState(accumulator, argument_types)
    if accumulator.is_user_defined:
        return _user(accumulator, argument_types)
    if state_of.missing([type(accumulator)]):
        raise TableInternalError(f"There is no state over changelogs for the accumulator {type(accumulator).__name__}.")
    return state_of(accumulator, argument_types, has_retractions)


def _user(accumulator: Any, types: Sequence[pa.DataType]) -> FunctionState:
    # Vectorized functions need all rows of a group in one call.
    return aggregates.UserAccumulatorState(accumulator) if accumulator.keeps_accumulators else aggregates.KeptRowsState(accumulator, types)


# The names of `aggregates` are imported when they are first used.
def _additive(accumulator: Accumulator, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return AdditiveState(accumulator, types)


state_of.register(Count)(_additive)
state_of.register(Average)(_additive)


def _sum(accumulator: Accumulator, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    is_bigint = list(types) == [pa.int64()] and accumulator.spec.arrow_type == pa.int64()
    return BigIntSumState(accumulator) if is_bigint else AdditiveState(accumulator, types)


state_of.register(Sum)(_sum)
state_of.register(SumOrZero)(_sum)
state_of.register(MovedSum)(_sum)


def _extreme(accumulator: Extreme, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.CountedExtremeState(accumulator) if has_retractions else aggregates.ExtremeState(accumulator)


state_of.register(Min)(_extreme)
state_of.register(Max)(_extreme)


def _first_or_last(accumulator: Accumulator, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    is_last = isinstance(accumulator, LastValue)
    if has_retractions:
        return aggregates.EndState(accumulator, types[0], is_last=is_last)
    return aggregates.FirstLastState(types[0], is_last=is_last)


state_of.register(FirstValue)(_first_or_last)
state_of.register(LastValue)(_first_or_last)


@state_of.register(SingleValue)
def _single_value(accumulator: SingleValue, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.SingleValueState(accumulator, types[0])


@state_of.register(ArrayAgg)
def _array(accumulator: ArrayAgg, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.ArrayState(accumulator, types[0])


@state_of.register(Collect)
def _multiset(accumulator: Collect, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.CollectState(accumulator, types[0])


@state_of.register(ListAgg)
def _list(accumulator: ListAgg, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.ListAggState(accumulator)


@state_of.register(JsonArrayAgg)
def _json_array(accumulator: JsonArrayAgg, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.JsonArrayState(accumulator)


@state_of.register(JsonObjectAgg)
def _json_object(accumulator: JsonObjectAgg, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.JsonObjectState(accumulator)


@state_of.register(Percentile)
def _percentile(accumulator: Percentile, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.PercentileState(accumulator)


@state_of.register(BitmapAgg)
def _bitmap(accumulator: BitmapAgg, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.BitmapState(accumulator)


def _variance(accumulator: Variance, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return aggregates.ExactMomentsState(accumulator) if has_retractions else aggregates.MomentsState(accumulator)


state_of.register(Variance)(_variance)
state_of.register(DecimalSpread)(_variance)
