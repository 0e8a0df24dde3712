"""Aggregate functions with Flink's result types: SUM keeps the argument's type, AVG of integers is truncated to an integer.

Differs from Flink: a sum of integers that overflows is an error that names the call and the group, instead of wrapping around. On Spark so is a sum of BIGINT
that fits, if a sum of a part of its values does not.
"""

from __future__ import annotations

from decimal import Decimal

from table_api.operations import AggregateCall
from table_common.exceptions import TableException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import EXACT_INTEGERS, ArrayType, DecimalType, LogicalType
from table_planner_spark.expressions.comparable_form import check_map_keys
from table_planner_spark.expressions.functions.sum_overflow import sum_overflow
from table_planner_spark.expressions.functions.translation import AggregateArguments, AggregateTranslation, aggregate, as_type
from table_planner_spark.expressions.names import quote_text, to_type_sql
from table_planner_spark.expressions.value_sizes import octets_of, refused

_DIGITS_OF_SUMS = 10
"""Digits that Spark's SUM of decimals has beyond its argument's: enough for 10 billion of the largest values. More is an error."""


def _argument_type(call: AggregateCall) -> LogicalType:
    return call.args[0].output_type


def _distinct(call: AggregateCall) -> str:
    return "DISTINCT " if call.distinct else ""


def _count(call: AggregateCall, given: AggregateArguments) -> str:
    return f"count({_distinct(call)}{', '.join(given.args) or '*'}){given.filter}"


def _sum(call: AggregateCall, given: AggregateArguments) -> str:
    total = _total(call, given)
    if isinstance(_argument_type(call), DecimalType):
        return total
    if isinstance(_argument_type(call), EXACT_INTEGERS):
        return f"coalesce({_fitting(total, call)}, {_failure(call, given, 'NULL')})"
    return as_type(total, call.output_type)


def _total(call: AggregateCall, given: AggregateArguments) -> str:
    """Returns the sum. The sum of decimals has 38 digits, as SUM's type says."""
    value = given.args[0]
    type_ = _argument_type(call)
    if isinstance(type_, DecimalType):
        widest = f"DECIMAL(38, {type_.scale})"
        if type_.precision + _DIGITS_OF_SUMS <= 38:  # Spark sums decimals of up to 18 digits as long
            return f"CAST(sum({_distinct(call)}{value}){given.filter} AS {widest})"
        return f"try_sum({_distinct(call)}CAST({value} AS {widest})){given.filter}"  # try_sum: beyond 38 digits NULL
    function = "try_sum" if isinstance(type_, EXACT_INTEGERS) else "sum"
    return f"{function}({_distinct(call)}{value}){given.filter}"


def _sum0(call: AggregateCall, given: AggregateArguments) -> str:
    zero = as_type("0", call.output_type.not_null())  # the sum of no rows; an overflow is an error
    if isinstance(_argument_type(call), (DecimalType, EXACT_INTEGERS)):
        return f"coalesce({_fitting(_total(call, given), call)}, {_failure(call, given, zero)})"
    return f"coalesce({as_type(_total(call, given), call.output_type)}, {zero})"


def _fitting(total: str, call: AggregateCall) -> str:
    return f"try_cast({total} AS {to_type_sql(call.output_type)})"


def _failure(call: AggregateCall, given: AggregateArguments, otherwise: str) -> str:
    """Returns the error of a sum that does not fit, and ``otherwise`` if there is nothing to sum."""
    count = f"count({_distinct(call)}{given.args[0]}){given.filter}"
    return f"if({count} > 0, {sum_overflow(call, given)}, {otherwise})"


def _avg(call: AggregateCall, given: AggregateArguments) -> str:
    value = given.args[0]
    type_ = _argument_type(call)
    count = f"nullif(count({_distinct(call)}{value}){given.filter}, 0)"
    if isinstance(type_, EXACT_INTEGERS):
        return as_type(f"(sum({_distinct(call)}CAST({value} AS DECIMAL(20, 0))){given.filter} div {count})", call.output_type)
    if isinstance(type_, DecimalType):
        return as_type(f"try_divide({_total(call, given)}, {count})", call.output_type)  # beyond 38 digits NULL
    return as_type(f"avg({_distinct(call)}{value}){given.filter}", call.output_type)


def _spread(name: str) -> AggregateTranslation:
    of_numbers = aggregate(f"{name}({{args}})", cast=True)
    return lambda call, given: (_decimal_spread if isinstance(_argument_type(call), DecimalType) else of_numbers)(call, given)


def _decimal_spread(call: AggregateCall, given: AggregateArguments) -> str:
    """Computes the variance as DOUBLE with Welford's algorithm, so that all digits of the decimal result equal Flink's."""
    values = f"collect_list({_distinct(call)}CAST({given.args[0]} AS DOUBLE)){given.filter}"
    start = "named_struct('n', 0D, 'mean', 0D, 'squares', 0D)"
    mean = "__s.mean + (__x - __s.mean) / (__s.n + 1)"
    step = f"named_struct('n', __s.n + 1, 'mean', {mean}, 'squares', __s.squares + (__x - __s.mean) * (__x - ({mean})))"
    least = 1 if call.function in (fn.STDDEV_SAMP, fn.VAR_SAMP) else 0
    variance = f"if(__s.n > {least}, __s.squares / nullif(__s.n - {least}, 0), NULL)"
    result = f"sqrt({variance})" if call.function in (fn.STDDEV_SAMP, fn.STDDEV_POP) else variance
    return f"CAST(aggregate({values}, {start}, (__s, __x) -> {step}, __s -> {result}) AS {to_type_sql(call.output_type)})"


def _in_order(call: AggregateCall, given: AggregateArguments) -> str:
    """Returns the array of structs with the field ``value``, in the order of the call's ORDER BY."""
    keys = "".join(f", 'k{index}', {key}" for index, key in enumerate(given.order_keys))
    items = f"collect_list(named_struct('value', {given.args[0]}{keys})){given.filter}"
    if call.distinct:
        items = f"array_distinct({items})"  # in the order of first occurrence; DISTINCT inside the aggregate would lose the order
    if not keys:
        return items
    steps = []
    for index, order in enumerate(call.order_by):
        a, b = f"__a.k{index}", f"__b.k{index}"
        before, null_before = ("-1", "1") if order.ascending else ("1", "-1"), ("-1", "1") if order.nulls_first else ("1", "-1")
        steps += [f"WHEN {a} IS NULL AND {b} IS NOT NULL THEN {null_before[0]} WHEN {b} IS NULL AND {a} IS NOT NULL THEN {null_before[1]}"]
        steps += [f"WHEN {a} < {b} THEN {before[0]} WHEN {a} > {b} THEN {before[1]}"]
    return f"array_sort({items}, (__a, __b) -> CASE {' '.join(steps)} ELSE 0 END)"


def _known_in_order(call: AggregateCall, given: AggregateArguments) -> str:
    """Returns the array of ``_in_order`` without NULLs."""
    return f"filter({_in_order(call, given)}, __item -> __item.value IS NOT NULL)"


def _first(name: str) -> AggregateTranslation:
    def translate(call: AggregateCall, given: AggregateArguments) -> str:
        if not given.order_keys:
            return f"{name}({given.args[0]}, true){given.filter}"
        return f"try_element_at({_known_in_order(call, given)}, {1 if name == 'first' else -1}).value"

    return translate


def _single(call: AggregateCall, given: AggregateArguments) -> str:
    message = quote_text("A scalar subquery returned more than one row.")
    value = f"first({given.args[0]}){given.filter}"
    return f"if(count(*){given.filter} > 1, raise_error({message}), {value})"


def _listagg(call: AggregateCall, given: AggregateArguments) -> str:
    separator = quote_text(str(call.constant_args[0]) if call.constant_args else ",")
    if call.distinct and given.order_keys == given.args[:1]:
        # Spark cannot plan an ordered listagg(DISTINCT …) beside another DISTINCT aggregate.
        ascending = "true" if call.order_by[0].ascending else "false"
        return _joined(f"collect_set({given.args[0]}){given.filter}", f"sort_array(__items, {ascending})", separator)
    if (given.order_keys and given.has_distinct) or call.distinct:
        # Spark cannot plan an ordered listagg beside a DISTINCT aggregate, and its listagg(DISTINCT …) has no order.
        return _joined(_known_in_order(call, given), "transform(__items, __item -> __item.value)", separator)
    order = f" WITHIN GROUP (ORDER BY {given.order})" if given.order else ""
    joined = f"listagg({given.args[0]}, {separator}){order}{given.filter}"
    return refused("LISTAGG", f"octet_length({joined})", joined)


def _joined(items: str, texts: str, separator: str) -> str:
    """Returns the strings that ``texts`` computes from the array ``__items``, joined with the separator; NULL if the array is empty."""
    octets = f"aggregate(__texts, 0L, (__sum, __text) -> __sum + octet_length(__text)) + octet_length({separator}) * (size(__texts) - 1L)"
    joined = refused("LISTAGG", f"({octets})", f"array_join(__texts, {separator})")
    of_texts = f"element_at(transform(array({texts}), __texts -> {joined}), 1)"
    return f"element_at(transform(array({items}), __items -> if(size(__items) = 0, NULL, {of_texts})), 1)"


def _collect(call: AggregateCall, given: AggregateArguments) -> str:
    check_map_keys(call.args[0].output_type)
    items = f"collect_list({_distinct(call)}{given.args[0]}){given.filter}"
    made = f"if(size(array_distinct(__items)) = size(__items), {_COUNTED_ONCE}, {_COUNTED})"
    body = refused("COLLECT", octets_of("__items", ArrayType(call.args[0].output_type)), made)
    return f"element_at(transform(array({items}), __items -> {body}), 1)"


_COUNTED_ONCE = "map_from_entries(transform(__items, __item -> named_struct('key', __item, 'value', 1)))"
_SORTED = "array_sort(__items)"
_STARTS = "filter(sequence(0, size(__sorted)), __at -> __at IN (0, size(__sorted)) OR NOT get(__sorted, __at) <=> get(__sorted, __at - 1))"
_ENTRIES = "transform(slice(__starts, 1, size(__starts) - 1), (__at, __n) -> named_struct('key', get(__sorted, __at), 'value', get(__starts, __n + 1) - __at))"
_COUNTED = (
    f"element_at(transform(array({_SORTED}), __sorted -> "
    f"element_at(transform(array({_STARTS}), __starts -> map_from_entries({_ENTRIES})), 1)), 1)"
)
"""The map of the values in ``__items`` to their counts. Sorted, because to search for each value would take quadratic time."""


def _array_agg(call: AggregateCall, given: AggregateArguments) -> str:
    # In a struct, because Spark drops NULLs.
    items = _in_order(call, given)
    kept = "if(size(__items) = 0, NULL, transform(__items, __item -> __item.value))"
    made = refused("ARRAY_AGG", octets_of("__items.value", ArrayType(call.args[0].output_type)), kept)
    return f"element_at(transform(array({items}), __items -> {made}), 1)"


def _percentile(call: AggregateCall, given: AggregateArguments) -> str:
    arguments = [*given.args[:1], *map(_constant, call.constant_args[:1]), *given.args[1:], *map(_constant, call.constant_args[1:])]
    return f"percentile({_distinct(call)}{', '.join(arguments)}){given.filter}"


def _constant(value: object) -> str:
    match value:
        case bool() | None:
            raise TableException(f"PERCENTILE does not take {value}.")
        case int():
            return str(value)
        case float() | Decimal():
            return f"CAST('{value}' AS DOUBLE)"
        case list() | tuple():
            return f"array({', '.join(map(_constant, value))})"
        case _:
            raise TableException(f"PERCENTILE does not take {value}.")


def _extreme(name: str) -> AggregateTranslation:
    return lambda call, given: f"{name}({given.args[0]}){given.filter}"


def _approximate(call: AggregateCall, given: AggregateArguments) -> str:
    return f"approx_count_distinct({given.args[0]}){given.filter}"


FUNCTIONS: dict[FunctionDefinition, AggregateTranslation] = {
    fn.COUNT: _count,
    fn.APPROX_COUNT_DISTINCT: _approximate,
    fn.SUM: _sum,
    fn.SUM0: _sum0,
    fn.AVG: _avg,
    fn.MIN: _extreme("min"),
    fn.MAX: _extreme("max"),
    fn.STDDEV_POP: _spread("stddev_pop"),
    fn.STDDEV_SAMP: _spread("stddev_samp"),
    fn.VAR_POP: _spread("var_pop"),
    fn.VAR_SAMP: _spread("var_samp"),
    fn.COVAR_POP: aggregate("covar_pop({args})"),
    fn.COVAR_SAMP: aggregate("covar_samp({args})"),
    fn.FIRST_VALUE: _first("first"),
    fn.LAST_VALUE: _first("last"),
    fn.SINGLE_VALUE: _single,
    fn.LISTAGG: _listagg,
    fn.COLLECT: _collect,
    fn.ARRAY_AGG: _array_agg,
    fn.PERCENTILE: _percentile,
}
"""Not here: the functions in ``unsupported.py``, and the aggregates in ``bitmap.py`` and ``json.py``."""
