"""Whether an interval expression is statically a number of whole days: a DATE plus whole days is a DATE."""

from __future__ import annotations

from table_common.expressions.expression import CallExpression, ResolvedExpression, ValueLiteralExpression
from table_common.types.logical import EXACT_INTEGERS, DateType, DayTimeIntervalType, DayTimeResolution, NullType

_DAY_NANOSECONDS = 86_400_000_000_000
_SUMS = frozenset({"PLUS", "MINUS", "NEGATE", "COALESCE", "IF_NULL", "GREATEST", "LEAST"})
"""Functions whose result is whole days if all of their intervals are."""


def is_whole_days(interval: ResolvedExpression) -> bool:
    """Returns whether every value of the interval is known to be a number of whole days; false if it is unknown."""
    type_ = interval.output_type
    if isinstance(type_, NullType):
        return True
    if not isinstance(type_, DayTimeIntervalType):
        return False
    if type_.resolution is DayTimeResolution.DAY:
        return True
    if isinstance(interval, ValueLiteralExpression):
        return interval.value is None or interval.value % _DAY_NANOSECONDS == 0
    return isinstance(interval, CallExpression) and _call_is_whole_days(interval)


def _call_is_whole_days(call: CallExpression) -> bool:
    name, args = call.function.name, call.args
    if name == "TIMES":
        return any(is_whole_days(a) and isinstance(b.output_type, EXACT_INTEGERS) for a, b in (args, args[::-1]))
    if name == "MINUS_DATETIME":
        return all(isinstance(arg.output_type, DateType) for arg in args[:2])
    if name == "CAST":
        return is_whole_days(args[0])
    if name in ("CASE", "IF"):
        return all(is_whole_days(arg) for arg in (*args[1::2], args[-1]))
    return name in _SUMS and all(is_whole_days(arg) for arg in args)
