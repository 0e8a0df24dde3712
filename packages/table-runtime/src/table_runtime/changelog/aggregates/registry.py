"""Which state an aggregate call keeps: a value, sums and counts, an object by group, or its rows."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_runtime.aggregates import Accumulator
from table_runtime.aggregates.bitmap import BitmapAgg
from table_runtime.aggregates.collect import ArrayAgg, Collect, ListAgg, Percentile
from table_runtime.aggregates.extremes import Extreme
from table_runtime.aggregates.first_last import FirstValue, LastValue, SingleValue
from table_runtime.aggregates.json import JsonArrayAgg, JsonObjectAgg
from table_runtime.aggregates.user import UserAggregate
from table_runtime.aggregates.variance import Variance
from table_runtime.changelog.aggregates.additive import AdditiveState, is_additive
from table_runtime.changelog.aggregates.bitmaps import BitmapState
from table_runtime.changelog.aggregates.counted_extremes import CountedExtremeState
from table_runtime.changelog.aggregates.counted_values import CollectState
from table_runtime.changelog.aggregates.exact_moments import ExactMomentsState
from table_runtime.changelog.aggregates.extremes import ExtremeState
from table_runtime.changelog.aggregates.first_last import FirstLastState
from table_runtime.changelog.aggregates.function import FunctionState
from table_runtime.changelog.aggregates.kept_rows import KeptRowsState
from table_runtime.changelog.aggregates.moments import MomentsState
from table_runtime.changelog.aggregates.percentiles import PercentileState
from table_runtime.changelog.aggregates.texts import JsonArrayState, JsonObjectState, ListAggState
from table_runtime.changelog.aggregates.user_accumulators import UserAccumulatorState
from table_runtime.changelog.aggregates.value_bags import ArrayState, EndState, SingleValueState

__all__ = ["create_function_state"]


def create_function_state(accumulator: Accumulator, argument_types: Sequence[pa.DataType], *, has_retractions: bool) -> FunctionState:
    """Returns the empty state of a call over these arguments; ``has_retractions`` says whether rows may be retracted."""
    if is_additive(accumulator, argument_types):
        return AdditiveState(accumulator, argument_types)
    state = None if accumulator.spec.orders else _state(accumulator, argument_types, has_retractions=has_retractions)
    return KeptRowsState(accumulator, argument_types) if state is None else state


def _state(accumulator: Accumulator, types: Sequence[pa.DataType], *, has_retractions: bool) -> FunctionState | None:
    """Returns the state that is changed by each row; None for functions that are computed from all rows of a group."""
    match accumulator:
        case Extreme():
            return CountedExtremeState(accumulator) if has_retractions else ExtremeState(accumulator)
        case FirstValue():
            is_last = isinstance(accumulator, LastValue)
            return EndState(accumulator, types[0], is_last=is_last) if has_retractions else FirstLastState(types[0], is_last=is_last)
        case Variance():
            return ExactMomentsState(accumulator) if has_retractions else MomentsState(accumulator)
        case UserAggregate() if accumulator.keeps_accumulators:
            return UserAccumulatorState(accumulator)
        case SingleValue():
            return SingleValueState(accumulator, types[0])
        case ArrayAgg():
            return ArrayState(accumulator, types[0])
        case Collect():
            return CollectState(accumulator, types[0])
        case Percentile():
            return PercentileState(accumulator)
        case BitmapAgg():
            return BitmapState(accumulator)
        case ListAgg():
            return ListAggState(accumulator)
        case JsonArrayAgg():
            return JsonArrayState(accumulator)
        case JsonObjectAgg():
            return JsonObjectState(accumulator)
        case _:
            return None
