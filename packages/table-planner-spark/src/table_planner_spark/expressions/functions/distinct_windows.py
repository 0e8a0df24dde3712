"""DISTINCT aggregates over windows, which Spark does not support: the frame's values are collected and aggregated as an array."""

from __future__ import annotations

from collections.abc import Callable

from table_api.operations import AggregateCall
from table_common.exceptions import TableException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import EXACT_INTEGERS, DecimalType, DoubleType, LogicalType
from table_planner_spark.expressions.functions.sum_overflow import sum_overflow
from table_planner_spark.expressions.functions.translation import AggregateArguments, as_type
from table_planner_spark.expressions.names import bind, quote_text, to_type_sql


def distinct_over_window(call: AggregateCall, given: AggregateArguments) -> str:
    """Returns the aggregate of the distinct values. ``given.filter`` has both clauses, FILTER and OVER.

    Raises:
        TableException: the aggregate is not one of those that can be computed from an array.
    """
    compute = _FROM_DISTINCT.get(call.function)
    if compute is None or len(given.args) != 1:
        raise TableException(f"The planner 'spark' does not run {call.function.name}(DISTINCT …) over a window.")
    value = given.args[0]
    if call.function is fn.ARRAY_AGG:  # in a struct, because Spark drops NULLs
        value = f"named_struct('value', {value})"
    return bind(f"array_distinct(collect_list({value}){given.filter})", lambda items: compute(items, call, given))


def _count(items: str, call: AggregateCall, given: AggregateArguments) -> str:
    return f"CAST(size({items}) AS BIGINT)"


def _total(items: str, call: AggregateCall) -> tuple[str, LogicalType]:
    """Returns the sum, in a type that holds it, and that type."""
    type_: LogicalType = call.args[0].output_type
    if isinstance(type_, DecimalType):
        wide = min(type_.precision + 10, 38)
        if wide == 38 and type_.scale > 6:  # Spark's addition would drop digits
            raise TableException(f"The planner 'spark' does not run {call.function.name}(DISTINCT …) of {type_} over a window.")
        total: LogicalType = DecimalType(wide, type_.scale)
    elif isinstance(type_, EXACT_INTEGERS):
        total = DecimalType(38, 0)
    else:
        total = DoubleType()
    sql = to_type_sql(total)
    added = f"try_cast(try_add(__sum, __item) AS {sql})" if isinstance(type_, DecimalType) else f"CAST(__sum + __item AS {sql})"
    return f"aggregate({items}, CAST(0 AS {sql}), (__sum, __item) -> {added})", total


def _sum(items: str, call: AggregateCall, given: AggregateArguments) -> str:
    total = f"if(size({items}) = 0, NULL, {_total(items, call)[0]})"
    if not isinstance(call.args[0].output_type, EXACT_INTEGERS):
        return as_type(total, call.output_type)
    fitting = f"try_cast({{0}} AS {to_type_sql(call.output_type)})"
    return bind(total, lambda found: f"if({found} IS NULL, NULL, coalesce({fitting.format(found)}, {sum_overflow(call, given)}))")


def _avg(items: str, call: AggregateCall, given: AggregateArguments) -> str:
    total, type_ = _total(items, call)
    divided = "div" if isinstance(call.args[0].output_type, EXACT_INTEGERS) else "/"
    count = f"CAST(nullif(size({items}), 0) AS {'DOUBLE' if isinstance(type_, DoubleType) else 'DECIMAL(10, 0)'})"
    if isinstance(type_, DecimalType) and divided == "/":
        total = f"CAST({total} AS DECIMAL(38, {type_.scale}))"
        return as_type(f"try_divide({total}, {count})", call.output_type)
    return as_type(f"({total} {divided} {count})", call.output_type)


def _listagg(items: str, call: AggregateCall, given: AggregateArguments) -> str:
    separator = quote_text(str(call.constant_args[0]) if call.constant_args else ",")
    return f"if(size({items}) = 0, NULL, array_join({items}, {separator}))"


def _collect(items: str, call: AggregateCall, given: AggregateArguments) -> str:
    return f"map_from_entries(transform({items}, __item -> struct(__item, 1)))"


def _array_agg(items: str, call: AggregateCall, given: AggregateArguments) -> str:
    return f"if(size({items}) = 0, NULL, transform({items}, __item -> __item.value))"


_FROM_DISTINCT: dict[FunctionDefinition, Callable[[str, AggregateCall, AggregateArguments], str]] = {
    fn.COUNT: _count,
    fn.APPROX_COUNT_DISTINCT: _count,
    fn.SUM: _sum,
    fn.AVG: _avg,
    fn.LISTAGG: _listagg,
    fn.COLLECT: _collect,
    fn.ARRAY_AGG: _array_agg,
}
