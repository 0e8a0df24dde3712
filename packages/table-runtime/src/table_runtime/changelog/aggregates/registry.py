"""Which state an aggregate call keeps: a value, sums and counts, an object by group, or its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import pyarrow as pa

from table_runtime.aggregates import Accumulator
from table_runtime.changelog.aggregates.additive import AdditiveState, is_additive
from table_runtime.changelog.aggregates.function import FunctionState

__all__ = ["create_function_state"]


def create_function_state(accumulator: Accumulator, argument_types: Sequence[pa.DataType], *, has_retractions: bool) -> FunctionState:
    """Returns the empty state of a call over these arguments; ``has_retractions`` says whether rows may be retracted."""
    if is_additive(accumulator, argument_types):
        return AdditiveState(accumulator, argument_types)
    make = None if accumulator.spec.orders else _STATES.get(type(accumulator).__name__)
    state = None if make is None else make(accumulator, argument_types, has_retractions)
    return _in("kept_rows", "KeptRowsState")(accumulator, argument_types) if state is None else state


_Make = Callable[[Any, Sequence[pa.DataType], bool], FunctionState | None]


def _in(file: str, name: str) -> Callable[..., FunctionState]:
    """Returns a class of this package; its file is imported at first use."""

    def make(*args: Any, **options: Any) -> FunctionState:
        state: FunctionState = getattr(import_module(f"table_runtime.changelog.aggregates.{file}"), name)(*args, **options)
        return state

    return make


def _of_call(file: str, name: str) -> _Make:
    return lambda accumulator, types, has_retractions: _in(file, name)(accumulator)


def _of_value(file: str, name: str) -> _Make:
    return lambda accumulator, types, has_retractions: _in(file, name)(accumulator, types[0])


def _extreme(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    make = _in("counted_extremes", "CountedExtremeState") if has_retractions else _in("extremes", "ExtremeState")
    return make(accumulator)


def _first_or_last(*, is_last: bool) -> _Make:
    def make(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
        if has_retractions:
            return _in("value_bags", "EndState")(accumulator, types[0], is_last=is_last)
        return _in("first_last", "FirstLastState")(types[0], is_last=is_last)

    return make


def _variance(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState:
    return (_in("exact_moments", "ExactMomentsState") if has_retractions else _in("moments", "MomentsState"))(accumulator)


def _user(accumulator: Any, types: Sequence[pa.DataType], has_retractions: bool) -> FunctionState | None:
    # Vectorised functions take all rows of a group at once.
    return _in("user_accumulators", "UserAccumulatorState")(accumulator) if accumulator.keeps_accumulators else None


_STATES: dict[str, _Make] = {
    "Min": _extreme,
    "Max": _extreme,
    "FirstValue": _first_or_last(is_last=False),
    "LastValue": _first_or_last(is_last=True),
    "SingleValue": _of_value("value_bags", "SingleValueState"),
    "ArrayAgg": _of_value("value_bags", "ArrayState"),
    "Collect": _of_value("counted_values", "CollectState"),
    "ListAgg": _of_call("texts", "ListAggState"),
    "JsonArrayAgg": _of_call("texts", "JsonArrayState"),
    "JsonObjectAgg": _of_call("texts", "JsonObjectState"),
    "Percentile": _of_call("percentiles", "PercentileState"),
    "BitmapAgg": _of_call("bitmaps", "BitmapState"),
    "Variance": _variance,
    "DecimalSpread": _variance,
    "UserAggregate": _user,
}
"""By the class of the accumulator; functions that are not here are computed from all rows of a group after each change."""
