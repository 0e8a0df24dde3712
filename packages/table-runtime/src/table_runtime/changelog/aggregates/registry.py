"""Chooses the state of an aggregate call: a value, sums and counts, an object per group, or its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_runtime.aggregates import Accumulator
from table_runtime.changelog import aggregates
from table_runtime.changelog.aggregates.additive import AdditiveState, is_additive
from table_runtime.changelog.aggregates.bigint_sums import BigIntSumState, is_bigint_sum
from table_runtime.changelog.aggregates.function import FunctionState

__all__ = ["create_function_state"]


def create_function_state(accumulator: Accumulator, argument_types: Sequence[pa.DataType], *, has_retractions: bool) -> FunctionState:
    """Returns the empty state of a call over these arguments; ``has_retractions``: rows may be retracted."""
    if is_bigint_sum(accumulator, argument_types):
        return BigIntSumState(accumulator)
    if is_additive(accumulator, argument_types):
        return AdditiveState(accumulator, argument_types)
    make = None if accumulator.spec.orders else _STATES.get(type(accumulator).__name__)
    state = None if make is None else make(accumulator, argument_types, has_retractions)
    return _new("KeptRowsState")(accumulator, argument_types) if state is None else state


_Make = Callable[[Any, Sequence[pa.DataType], bool], FunctionState | None]


def _new(name: str) -> Callable[..., FunctionState]:
    """Returns a factory for a class of this package that imports its module at the first call."""

    def make(*args: Any, **options: Any) -> FunctionState:
        state: FunctionState = getattr(aggregates, name)(*args, **options)
        return state

    return make


def _of_call(name: str) -> _Make:
    return lambda accumulator, types, has_retractions: _new(name)(accumulator)


def _of_value(name: str) -> _Make:
    return lambda accumulator, types, has_retractions: _new(name)(accumulator, types[0])


def _extreme(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    make = _new("CountedExtremeState") if has_retractions else _new("ExtremeState")
    return make(accumulator)


def _first_or_last(*, is_last: bool) -> _Make:
    def make(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
        if has_retractions:
            return _new("EndState")(accumulator, types[0], is_last=is_last)
        return _new("FirstLastState")(types[0], is_last=is_last)

    return make


def _variance(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return (_new("ExactMomentsState") if has_retractions else _new("MomentsState"))(accumulator)


def _user(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState | None:
    # Vectorised functions need all rows of a group in one call.
    return _new("UserAccumulatorState")(accumulator) if accumulator.keeps_accumulators else None


_STATES: dict[str, _Make] = {
    "Min": _extreme,
    "Max": _extreme,
    "FirstValue": _first_or_last(is_last=False),
    "LastValue": _first_or_last(is_last=True),
    "SingleValue": _of_value("SingleValueState"),
    "ArrayAgg": _of_value("ArrayState"),
    "Collect": _of_value("CollectState"),
    "ListAgg": _of_call("ListAggState"),
    "JsonArrayAgg": _of_call("JsonArrayState"),
    "JsonObjectAgg": _of_call("JsonObjectState"),
    "Percentile": _of_call("PercentileState"),
    "BitmapAgg": _of_call("BitmapState"),
    "Variance": _variance,
    "DecimalSpread": _variance,
    "UserAggregate": _user,
}
"""State factories by accumulator class; other functions are recomputed from all rows of a group after each change."""
