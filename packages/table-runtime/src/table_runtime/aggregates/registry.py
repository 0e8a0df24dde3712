"""Which accumulator computes which function of the catalogue: one line each."""

from __future__ import annotations

from collections.abc import Callable

from table_common.exceptions import TableException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.functions.builtin import bitmap as bitmaps
from table_common.functions.builtin import windows
from table_runtime.aggregates.accumulator import Accumulator, AggregateSpec
from table_runtime.aggregates.bitmap import bitmap
from table_runtime.aggregates.collecting import ArrayAgg, Collect, ListAgg, OrderedFirst, OrderedLast, Percentile
from table_runtime.aggregates.counting import Count
from table_runtime.aggregates.extremes import Max, Min
from table_runtime.aggregates.json import json_array, json_object
from table_runtime.aggregates.positional import FirstValue, LastValue, SingleValue
from table_runtime.aggregates.spread import spread
from table_runtime.aggregates.sums import Average, Sum, SumOrZero

__all__ = ["ACCUMULATORS", "IGNORE_DISTINCT", "UNSUPPORTED", "make_accumulator"]

ACCUMULATORS: dict[FunctionDefinition, Callable[[AggregateSpec], Accumulator]] = {
    fn.COUNT: Count,
    fn.APPROX_COUNT_DISTINCT: Count,
    fn.SUM: Sum,
    fn.SUM0: SumOrZero,
    fn.AVG: Average,
    fn.MIN: Min,
    fn.MAX: Max,
    fn.STDDEV_POP: spread(sample=False, root=True),
    fn.STDDEV_SAMP: spread(sample=True, root=True),
    fn.VAR_POP: spread(sample=False, root=False),
    fn.VAR_SAMP: spread(sample=True, root=False),
    fn.FIRST_VALUE: lambda spec: OrderedFirst(spec) if spec.orders else FirstValue(spec),
    fn.LAST_VALUE: lambda spec: OrderedLast(spec) if spec.orders else LastValue(spec),
    fn.SINGLE_VALUE: SingleValue,
    fn.LISTAGG: ListAgg,
    fn.COLLECT: Collect,
    fn.ARRAY_AGG: ArrayAgg,
    fn.PERCENTILE: Percentile,
    fn.JSON_OBJECTAGG_NULL_ON_NULL: json_object(keep_nulls=True),
    fn.JSON_OBJECTAGG_ABSENT_ON_NULL: json_object(keep_nulls=False),
    fn.JSON_ARRAYAGG_NULL_ON_NULL: json_array(keep_nulls=True),
    fn.JSON_ARRAYAGG_ABSENT_ON_NULL: json_array(keep_nulls=False),
    bitmaps.BITMAP_BUILD_AGG: bitmap("BUILD"),
    bitmaps.BITMAP_AND_AGG: bitmap("AND"),
    bitmaps.BITMAP_OR_AGG: bitmap("OR"),
    bitmaps.BITMAP_XOR_AGG: bitmap("XOR"),
    bitmaps.BITMAP_BUILD_CARDINALITY_AGG: bitmap("BUILD", cardinality=True),
    bitmaps.BITMAP_AND_CARDINALITY_AGG: bitmap("AND", cardinality=True),
    bitmaps.BITMAP_OR_CARDINALITY_AGG: bitmap("OR", cardinality=True),
    bitmaps.BITMAP_XOR_CARDINALITY_AGG: bitmap("XOR", cardinality=True),
}

IGNORE_DISTINCT: frozenset[FunctionDefinition] = frozenset({fn.MIN, fn.MAX, fn.FIRST_VALUE, fn.LAST_VALUE})
"""Functions whose result is the same with and without DISTINCT."""

ALWAYS_DISTINCT: frozenset[FunctionDefinition] = frozenset({fn.APPROX_COUNT_DISTINCT})
"""Functions that count equal values once whether DISTINCT is written or not."""

_OVER_ONLY = "it needs an OVER clause"

UNSUPPORTED: dict[FunctionDefinition, str] = {
    windows.ROW_NUMBER: _OVER_ONLY,
    windows.RANK: _OVER_ONLY,
    windows.DENSE_RANK: _OVER_ONLY,
    windows.NTILE: _OVER_ONLY,
    windows.PERCENT_RANK: _OVER_ONLY,
    windows.CUME_DIST: _OVER_ONLY,
    windows.LAG: _OVER_ONLY,
    windows.LEAD: _OVER_ONLY,
    fn.GROUPING: "it is computed from the grouping id when the query is converted",
    fn.GROUPING_ID: "it is computed from the grouping id when the query is converted",
    fn.GROUP_ID: "it is computed from the grouping id when the query is converted",
}
"""Aggregates without an accumulator, and why."""


def make_accumulator(function: FunctionDefinition, spec: AggregateSpec) -> Accumulator:
    """Returns the accumulator of a call.

    Raises:
        TableException: the function has none; the message says why.
    """
    make = ACCUMULATORS.get(function)
    if make is None:
        reason = UNSUPPORTED.get(function, "the embedded engine does not know it")
        raise TableException(f"The aggregate function {function.name} cannot be computed: {reason}.")
    return make(spec)
