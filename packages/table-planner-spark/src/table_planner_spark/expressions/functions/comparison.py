"""Comparisons. Timestamps of different encodings are compared in the finer one.

Spark treats NaN as equal to itself and greater than every number; in Flink it is neither. A guard is added where an operand may be NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from table_api_bridge import has_nanosecond_encoding
from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison as fn
from table_common.functions.builtin import conversion
from table_common.types import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    DateType,
    DecimalType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    TimeType,
    exceed_decimal_digits,
)
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.comparable_form import comparable_form, needs_comparable_form
from table_planner_spark.expressions.functions.translation import Translation, template
from table_planner_spark.expressions.names import bind

_TIMES = (DateType, TimeType, TimestampType, LocalZonedTimestampType)


def alike(call: CallExpression, args: Sequence[str]) -> list[str]:
    """Returns the arguments in forms that Spark compares exactly.

    Times and timestamps all have Spark's type or are all BIGINT nanoseconds. Decimals without a common type, which Spark would round, become pairs
    of integer part and fraction. Values of types that Spark cannot compare have their comparable form.
    """
    types = [arg.output_type for arg in call.args]
    if any(map(needs_comparable_form, types)):
        return [comparable_form(text, type_) for text, type_ in zip(args, types, strict=True)]
    if exceed_decimal_digits(types):
        return [bind(text, _whole_and_fraction) for text in args]
    finest = next((type_ for type_ in types if has_nanosecond_encoding(type_)), None)
    if finest is None:
        return list(args)
    if isinstance(finest, TimeType):
        common: LogicalType = TimeType(9)
    else:
        is_instant = any(isinstance(type_, LocalZonedTimestampType) for type_ in types)
        common = LocalZonedTimestampType(9) if is_instant else TimestampType(9)
    return [
        to_spark_cast(text, type_, common.with_nullability(type_.nullable)) if isinstance(type_, _TIMES) else text
        for text, type_ in zip(args, types, strict=True)
    ]


def _whole_and_fraction(text: str) -> str:
    fraction = f"CAST({text} % CAST(1 AS DECIMAL(1, 0)) AS DECIMAL(38, 38))"
    whole = f"CAST(if({text} < 0, ceil({text}), floor({text})) AS DECIMAL(38, 0))"
    return f"if({text} IS NULL, NULL, named_struct('whole', {whole}, 'fraction', {fraction}))"


def can_be_nan(argument: ResolvedExpression) -> bool:
    """Returns whether the argument's value may be NaN."""
    match argument:
        case ValueLiteralExpression():
            return isinstance(argument.value, float) and math.isnan(argument.value)
        case CallExpression(function=conversion.CAST, args=(inner, *_)) if isinstance(inner.output_type, (*EXACT_INTEGERS, DecimalType)):
            return False
        case _:
            return isinstance(argument.output_type, APPROXIMATE_NUMERICS)


def _guard(culprit: int, call: CallExpression) -> str | None:
    """Returns a condition that is false if the argument at ``culprit`` is NaN and the other is not NULL; None if it is never NaN."""
    other = call.args[1 - culprit]
    if not can_be_nan(call.args[culprit]):
        return None
    no_number = f"NOT isnan({{{culprit}}})"
    return f"({no_number} OR {{{1 - culprit}}} IS NULL)" if other.output_type.nullable else no_number


def _order(symbol: str, culprit: int) -> Translation:
    """A comparison that Spark alone would evaluate to true if the argument at ``culprit`` is NaN."""

    def translate(call: CallExpression, args: Sequence[str]) -> str:
        guard = _guard(culprit, call)
        text = f"({{0}} {symbol} {{1}})" if guard is None else f"({{0}} {symbol} {{1}} AND {guard})"
        return template(text)(call, alike(call, args))

    return translate


def equals(call: CallExpression, args: Sequence[str]) -> str:
    """Returns whether the first two arguments are equal."""
    both = all(map(can_be_nan, call.args[:2]))  # Spark differs only if both are NaN
    return template(f"({{0}} = {{1}} AND {_guard(0, call)})" if both else "({0} = {1})")(call, alike(call, args))


def _not_equals(call: CallExpression, args: Sequence[str]) -> str:
    both = all(map(can_be_nan, call.args))
    return template("({0} <> {1} OR (isnan({0}) AND {1} IS NOT NULL))" if both else "({0} <> {1})")(call, alike(call, args))


def _is_distinct(call: CallExpression, args: Sequence[str]) -> str:
    both = all(map(can_be_nan, call.args))
    return template("(NOT ({0} <=> {1}) OR isnan({0}))" if both else "(NOT ({0} <=> {1}))")(call, alike(call, args))


def _is_not_distinct(call: CallExpression, args: Sequence[str]) -> str:
    both = all(map(can_be_nan, call.args))
    return template("({0} <=> {1} AND NOT isnan({0}))" if both else "({0} <=> {1})")(call, alike(call, args))


def _between(call: CallExpression, args: Sequence[str]) -> str:
    value, low, high = call.args
    if not any(map(can_be_nan, call.args)):
        return template("({0} BETWEEN {1} AND {2})")(call, alike(call, args))
    v, a, b = alike(call, args)
    at_least = _ge(CallExpression(fn.GREATER_THAN_OR_EQUAL, (value, low), call.output_type), [v, a])
    at_most = _le(CallExpression(fn.LESS_THAN_OR_EQUAL, (value, high), call.output_type), [v, b])
    return f"({at_least} AND {at_most})"


_ge, _le = _order(">=", 0), _order("<=", 1)


def _in(call: CallExpression, args: Sequence[str]) -> str:
    value, *options = alike(call, args)
    if not can_be_nan(call.args[0]) or not any(map(can_be_nan, call.args[1:])):
        return f"({value} IN ({', '.join(options)}))"
    single = [
        equals(CallExpression(fn.EQUALS, (call.args[0], option), call.output_type), [value, text])
        for option, text in zip(call.args[1:], options, strict=True)
    ]
    return f"({' OR '.join(single)})"


def _not(translate: Translation) -> Translation:
    return lambda call, args: f"(NOT {translate(call, args)})"


FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.EQUALS: equals,
    fn.NOT_EQUALS: _not_equals,
    fn.LESS_THAN: _order("<", 1),
    fn.LESS_THAN_OR_EQUAL: _le,
    fn.GREATER_THAN: _order(">", 0),
    fn.GREATER_THAN_OR_EQUAL: _ge,
    fn.IS_DISTINCT_FROM: _is_distinct,
    fn.IS_NOT_DISTINCT_FROM: _is_not_distinct,
    fn.IS_NULL: template("({0} IS NULL)"),
    fn.IS_NOT_NULL: template("({0} IS NOT NULL)"),
    fn.BETWEEN: _between,
    fn.NOT_BETWEEN: _not(_between),
    fn.IN: _in,
    fn.NOT_IN: _not(_in),
}
