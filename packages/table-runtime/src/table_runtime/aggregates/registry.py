"""The registry of accumulators by built-in aggregate function."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from table_common.exceptions import TableException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.functions.builtin import bitmap as bitmaps
from table_common.functions.builtin import windows
from table_runtime.aggregates.accumulator import Accumulator, AggregateSpec


def _in(file: str, name: str, **options: bool | str) -> Callable[[AggregateSpec], Accumulator]:
    """Returns a factory of an accumulator class in ``file``, which is imported at first use; ``options`` are arguments of the class's own factory."""

    def make(spec: AggregateSpec) -> Accumulator:
        factory = getattr(import_module(f"table_runtime.aggregates.{file}"), name)
        accumulator: Accumulator = factory(**options)(spec) if options else factory(spec)
        return accumulator

    return make


ACCUMULATORS: dict[FunctionDefinition, Callable[[AggregateSpec], Accumulator]] = {
    fn.COUNT: _in("counting", "Count"),
    fn.APPROX_COUNT_DISTINCT: _in("counting", "Count"),
    fn.SUM: _in("sums", "Sum"),
    fn.SUM0: _in("sums", "SumOrZero"),
    fn.AVG: _in("sums", "Average"),
    fn.MIN: _in("extremes", "Min"),
    fn.MAX: _in("extremes", "Max"),
    fn.STDDEV_POP: _in("variance", "variance", sample=False, root=True),
    fn.STDDEV_SAMP: _in("variance", "variance", sample=True, root=True),
    fn.VAR_POP: _in("variance", "variance", sample=False, root=False),
    fn.VAR_SAMP: _in("variance", "variance", sample=True, root=False),
    fn.FIRST_VALUE: _in("first_last", "first_value"),
    fn.LAST_VALUE: _in("first_last", "last_value"),
    fn.SINGLE_VALUE: _in("first_last", "SingleValue"),
    fn.LISTAGG: _in("collect", "ListAgg"),
    fn.COLLECT: _in("collect", "Collect"),
    fn.ARRAY_AGG: _in("collect", "ArrayAgg"),
    fn.PERCENTILE: _in("collect", "Percentile"),
    fn.JSON_OBJECTAGG_NULL_ON_NULL: _in("json", "json_object", keep_nulls=True),
    fn.JSON_OBJECTAGG_ABSENT_ON_NULL: _in("json", "json_object", keep_nulls=False),
    fn.JSON_ARRAYAGG_NULL_ON_NULL: _in("json", "json_array", keep_nulls=True),
    fn.JSON_ARRAYAGG_ABSENT_ON_NULL: _in("json", "json_array", keep_nulls=False),
    bitmaps.BITMAP_BUILD_AGG: _in("bitmap", "bitmap", way="BUILD"),
    bitmaps.BITMAP_AND_AGG: _in("bitmap", "bitmap", way="AND"),
    bitmaps.BITMAP_OR_AGG: _in("bitmap", "bitmap", way="OR"),
    bitmaps.BITMAP_XOR_AGG: _in("bitmap", "bitmap", way="XOR"),
    bitmaps.BITMAP_BUILD_CARDINALITY_AGG: _in("bitmap", "bitmap", way="BUILD", cardinality=True),
    bitmaps.BITMAP_AND_CARDINALITY_AGG: _in("bitmap", "bitmap", way="AND", cardinality=True),
    bitmaps.BITMAP_OR_CARDINALITY_AGG: _in("bitmap", "bitmap", way="OR", cardinality=True),
    bitmaps.BITMAP_XOR_CARDINALITY_AGG: _in("bitmap", "bitmap", way="XOR", cardinality=True),
}

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
"""Aggregate functions without an accumulator, with the reason."""


def make_accumulator(function: FunctionDefinition, spec: AggregateSpec) -> Accumulator:
    """Returns the accumulator of a call.

    Raises:
        TableException: the function is not supported as an aggregate.
    """
    if function.is_user_defined:
        from table_runtime.aggregates.user import UserAggregate

        return UserAggregate(function, spec)
    make = ACCUMULATORS.get(function)
    if make is None:
        reason = UNSUPPORTED.get(function, "the embedded engine does not know it")
        raise TableException(f"The aggregate function {function.name} cannot be computed: {reason}.")
    return make(spec)
