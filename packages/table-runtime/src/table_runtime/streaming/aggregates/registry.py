"""Chooses the state of an aggregate call: a value, sums and counts, an object per group, or its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_runtime.aggregates import Accumulator
from table_runtime.streaming import aggregates
from table_runtime.streaming.aggregates.additive import AdditiveState, is_additive
from table_runtime.streaming.aggregates.bigint_sums import BigIntSumState, is_bigint_sum
from table_runtime.streaming.aggregates.function import FunctionState

__all__ = ["create_function_state"]


def create_function_state(accumulator: Accumulator, argument_types: Sequence[pa.DataType], *, has_retractions: bool) -> FunctionState:
    """Returns the empty state of a call over these arguments; ``has_retractions``: rows may be retracted."""
    if is_bigint_sum(accumulator, argument_types):
        return BigIntSumState(accumulator)
    if is_additive(accumulator, argument_types):
        return AdditiveState(accumulator, argument_types)
    make = None if accumulator.spec.orders else _STATES.get(type(accumulator).__name__)
    state = None if make is None else make(accumulator, argument_types, has_retractions)
    return aggregates.KeptRowsState(accumulator, argument_types) if state is None else state


_Make = Callable[[Any, Sequence[pa.DataType], bool], FunctionState | None]
"""Makes the state of a call from its accumulator, the types of its arguments, and whether rows may be retracted."""


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


def _user(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState | None:
    # Vectorized functions need all rows of a group in one call.
    return aggregates.UserAccumulatorState(accumulator) if accumulator.keeps_accumulators else None


# The names of `aggregates` are imported when they are first used.
_STATES: dict[str, _Make] = {
    "Min": _extreme,
    "Max": _extreme,
    "FirstValue": _first_or_last(is_last=False),
    "LastValue": _first_or_last(is_last=True),
    "SingleValue": lambda accumulator, types, _: aggregates.SingleValueState(accumulator, types[0]),
    "ArrayAgg": lambda accumulator, types, _: aggregates.ArrayState(accumulator, types[0]),
    "Collect": lambda accumulator, types, _: aggregates.CollectState(accumulator, types[0]),
    "ListAgg": lambda accumulator, *_: aggregates.ListAggState(accumulator),
    "JsonArrayAgg": lambda accumulator, *_: aggregates.JsonArrayState(accumulator),
    "JsonObjectAgg": lambda accumulator, *_: aggregates.JsonObjectState(accumulator),
    "Percentile": lambda accumulator, *_: aggregates.PercentileState(accumulator),
    "BitmapAgg": lambda accumulator, *_: aggregates.BitmapState(accumulator),
    "Variance": _variance,
    "DecimalSpread": _variance,
    "UserAggregate": _user,
}
"""State factories by accumulator class; other functions are recomputed from all rows of a group after each change."""
