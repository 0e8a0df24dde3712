"""Aggregate functions over changelogs: state by slot, advanced by the rows of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.streaming.aggregates.bitmaps import BitmapState
    from table_runtime.streaming.aggregates.counted_extremes import CountedExtremeState
    from table_runtime.streaming.aggregates.counted_values import CollectState
    from table_runtime.streaming.aggregates.exact_moments import ExactMomentsState
    from table_runtime.streaming.aggregates.extremes import ExtremeState
    from table_runtime.streaming.aggregates.first_last import FirstLastState
    from table_runtime.streaming.aggregates.kept_rows import KeptRowsState
    from table_runtime.streaming.aggregates.moments import MomentsState
    from table_runtime.streaming.aggregates.percentiles import PercentileState
    from table_runtime.streaming.aggregates.texts import JsonArrayState, JsonObjectState, ListAggState
    from table_runtime.streaming.aggregates.user_accumulators import UserAccumulatorState
    from table_runtime.streaming.aggregates.value_bags import ArrayState, EndState, SingleValueState

__all__ = [
    "ArrayState",
    "BitmapState",
    "CollectState",
    "CountedExtremeState",
    "EndState",
    "ExactMomentsState",
    "ExtremeState",
    "FirstLastState",
    "JsonArrayState",
    "JsonObjectState",
    "KeptRowsState",
    "ListAggState",
    "MomentsState",
    "PercentileState",
    "SingleValueState",
    "UserAccumulatorState",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.streaming.aggregates.bitmaps": ("BitmapState",),
        "table_runtime.streaming.aggregates.counted_extremes": ("CountedExtremeState",),
        "table_runtime.streaming.aggregates.counted_values": ("CollectState",),
        "table_runtime.streaming.aggregates.exact_moments": ("ExactMomentsState",),
        "table_runtime.streaming.aggregates.extremes": ("ExtremeState",),
        "table_runtime.streaming.aggregates.first_last": ("FirstLastState",),
        "table_runtime.streaming.aggregates.kept_rows": ("KeptRowsState",),
        "table_runtime.streaming.aggregates.moments": ("MomentsState",),
        "table_runtime.streaming.aggregates.percentiles": ("PercentileState",),
        "table_runtime.streaming.aggregates.texts": (
            "JsonArrayState",
            "JsonObjectState",
            "ListAggState",
        ),
        "table_runtime.streaming.aggregates.user_accumulators": ("UserAccumulatorState",),
        "table_runtime.streaming.aggregates.value_bags": (
            "ArrayState",
            "EndState",
            "SingleValueState",
        ),
    },
)
