"""Recognises joins whose condition bounds the distance between time attributes of both inputs."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from table_api.operations import JoinQueryOperation, JoinType, QueryOperation
from table_api.operations.changelog import IntervalJoinQueryOperation
from table_api.plan.context import RuleContext
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    conjunction,
    conjuncts,
)
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import arithmetic, comparison
from table_common.tree import transform_up
from table_common.types import DayTimeIntervalType, is_time_attribute

__all__ = ["interval_join", "recognise_interval_joins"]

_KINDS = (JoinType.INNER, JoinType.LEFT_OUTER, JoinType.RIGHT_OUTER, JoinType.FULL_OUTER)
_NANOS = 1_000_000
"""Nanoseconds of a millisecond: intervals are in nanoseconds."""


class _Shifted(NamedTuple):
    """A time attribute plus a constant number of milliseconds."""

    time: FieldReferenceExpression
    shift: int


class _Bound(NamedTuple):
    """Bounds of the left time minus the right time, in milliseconds; None: no bound."""

    times: tuple[FieldReferenceExpression, FieldReferenceExpression]
    lower: int | None
    upper: int | None


def recognise_interval_joins(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces joins that have a lower and an upper bound between two time attributes of the same kind."""
    return transform_up(root, QueryOperation, interval_join)


def interval_join(node: QueryOperation) -> QueryOperation:
    """Returns the interval join of a join with a lower and an upper bound between time attributes; the node itself otherwise."""
    if type(node) is not JoinQueryOperation or node.join_type not in _KINDS or node.condition is None:
        return node
    parts = [(part, _bounds(part)) for part in conjuncts(node.condition)]
    for times in dict.fromkeys(bound.times for _, bounds in parts for bound in bounds):
        of_times = [bound for _, bounds in parts for bound in bounds if bound.times == times]
        lower = max((bound.lower for bound in of_times if bound.lower is not None), default=None)
        upper = min((bound.upper for bound in of_times if bound.upper is not None), default=None)
        if lower is not None and upper is not None:
            break
    else:
        return node
    others = [part for part, bounds in parts if not bounds or bounds[0].times != times]
    fields = {field.name: getattr(node, field.name) for field in dataclasses.fields(node)}
    fields["condition"] = conjunction(others) if others else None
    return IntervalJoinQueryOperation(**fields, times=times, lower=lower, upper=upper)


def _bounds(part: ResolvedExpression) -> list[_Bound]:
    """Returns the bounds that follow from a conjunct; none if it does not compare time attributes of both inputs."""
    if not isinstance(part, CallExpression):
        return []
    if part.function is comparison.BETWEEN and len(part.args) == 3:
        value, least, greatest = part.args
        found = [_bound(comparison.GREATER_THAN_OR_EQUAL, value, least), _bound(comparison.LESS_THAN_OR_EQUAL, value, greatest)]
        return [bound for bound in found if bound is not None] if None not in found else []
    if part.function not in comparison.MIRRORED or len(part.args) != 2:
        return []
    bound = _bound(part.function, *part.args)
    return [] if bound is None else [bound]


def _bound(function: FunctionDefinition, one: ResolvedExpression, other: ResolvedExpression) -> _Bound | None:
    left, right = _shifted(one), _shifted(other)
    if left is None or right is None or left.time.input_index == right.time.input_index:
        return None
    if left.time.input_index == 1:
        function, left, right = comparison.MIRRORED[function], right, left
    if left.time.output_type.with_nullability(True) != right.time.output_type.with_nullability(True):
        return None
    distance = right.shift - left.shift
    times = left.time, right.time
    if function is comparison.EQUALS:
        return _Bound(times, distance, distance)
    if function in (comparison.GREATER_THAN, comparison.GREATER_THAN_OR_EQUAL):
        return _Bound(times, distance + (function is comparison.GREATER_THAN), None)
    if function in (comparison.LESS_THAN, comparison.LESS_THAN_OR_EQUAL):
        return _Bound(times, None, distance - (function is comparison.LESS_THAN))
    return None


def _shifted(expression: ResolvedExpression) -> _Shifted | None:
    """Returns a time attribute to which constant intervals are added or subtracted; None for other expressions."""
    shift = 0
    while (
        isinstance(expression, CallExpression) and expression.function in (arithmetic.PLUS, arithmetic.MINUS) and len(expression.args) == 2
    ):
        one, other = expression.args
        if expression.function is arithmetic.PLUS and _milliseconds(one) is not None:
            one, other = other, one
        distance = _milliseconds(other)
        if distance is None:
            return None
        shift += distance if expression.function is arithmetic.PLUS else -distance
        expression = one
    if isinstance(expression, FieldReferenceExpression) and is_time_attribute(expression.output_type):
        return _Shifted(expression, shift)
    return None


def _milliseconds(expression: ResolvedExpression) -> int | None:
    """Returns a constant interval of whole milliseconds."""
    if not isinstance(expression, ValueLiteralExpression) or not isinstance(expression.output_type, DayTimeIntervalType):
        return None
    value = expression.value
    return value // _NANOS if isinstance(value, int) and value % _NANOS == 0 else None
