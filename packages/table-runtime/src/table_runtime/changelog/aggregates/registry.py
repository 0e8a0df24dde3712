"""Which state an aggregate call keeps: sums and counts, an extreme, its counted values, or its rows."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_runtime.aggregates import Accumulator
from table_runtime.aggregates.extremes import Extreme
from table_runtime.changelog.aggregates.additive import AdditiveState, is_additive
from table_runtime.changelog.aggregates.counted_extremes import CountedExtremeState
from table_runtime.changelog.aggregates.extremes import ExtremeState
from table_runtime.changelog.aggregates.function import FunctionState
from table_runtime.changelog.aggregates.kept_rows import KeptRowsState

__all__ = ["create_function_state"]


def create_function_state(accumulator: Accumulator, argument_types: Sequence[pa.DataType], *, has_retractions: bool) -> FunctionState:
    """Returns the empty state of a call over these arguments; ``has_retractions`` says whether rows may be retracted."""
    if is_additive(accumulator, argument_types):
        return AdditiveState(accumulator, argument_types)
    if isinstance(accumulator, Extreme):
        return CountedExtremeState(accumulator) if has_retractions else ExtremeState(accumulator)
    return KeptRowsState(accumulator, argument_types)
