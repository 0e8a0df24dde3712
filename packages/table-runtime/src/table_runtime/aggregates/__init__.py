"""Aggregate functions over Arrow columns: states per group, one file per family of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.aggregates.accumulator import Accumulator, AggregateSpec, Reduction
    from table_runtime.aggregates.collect import Collecting
    from table_runtime.aggregates.registry import make_accumulator
    from table_runtime.aggregates.user import UserAggregate
    from table_runtime.aggregates.user_states import UserStates, defines_merge

__all__ = ["Accumulator", "AggregateSpec", "Collecting", "Reduction", "UserAggregate", "UserStates", "defines_merge", "make_accumulator"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.aggregates.accumulator": ("Accumulator", "AggregateSpec", "Reduction"),
        "table_runtime.aggregates.collect": ("Collecting",),
        "table_runtime.aggregates.registry": ("make_accumulator",),
        "table_runtime.aggregates.user": ("UserAggregate",),
        "table_runtime.aggregates.user_states": ("UserStates", "defines_merge"),
    },
)
