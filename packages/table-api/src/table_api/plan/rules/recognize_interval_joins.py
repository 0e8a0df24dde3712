"""Recognizes joins whose condition bounds the distance between time attributes of both inputs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from table_api.operations import JoinQueryOperation, JoinType, QueryOperation
from table_api.operations.changelog import IntervalJoinQueryOperation
from table_api.plan.context import RuleContext
from table_common.exceptions import ValidationException
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    conjunction,
    conjuncts,
)
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import arithmetic, comparison, conversion
from table_common.tree import transform_up
from table_common.types import DayTimeIntervalType, LocalZonedTimestampType, TimestampType, is_rowtime, is_time_attribute, plain_timestamp

_KINDS = (JoinType.INNER, JoinType.LEFT_OUTER, JoinType.RIGHT_OUTER, JoinType.FULL_OUTER)
_NANOS = 1_000_000
"""Nanoseconds of a millisecond: intervals are in nanoseconds."""
_TIMES = (TimestampType, LocalZonedTimestampType)
_PRECISION = 3
"""The greatest precision of a time attribute."""


class _Shifted(NamedTuple):
    """A time attribute plus a constant number of milliseconds."""

    time: FieldReferenceExpression
    shift: int


_Times = tuple[FieldReferenceExpression, FieldReferenceExpression]


class _Bound(NamedTuple):
    """Bounds of the left time minus the right time, in milliseconds; None: no bound."""

    times: _Times
    lower: int | None
    upper: int | None


def recognize_interval_joins(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces joins that have a lower and an upper bound between two time attributes of the same kind.

    Raises:
        ValidationException: the bounds are between event times of different types.
    """
    return transform_up(root, QueryOperation, interval_join)


def interval_join(node: QueryOperation) -> QueryOperation:
    """Returns the interval join of a join with a lower and an upper bound between time attributes; the node itself otherwise.

    Raises:
        ValidationException: the bounds are between event times of different types.
    """
    if type(node) is not JoinQueryOperation or node.join_type not in _KINDS or node.condition is None:
        return node
    parts = [(part, _bounds(part)) for part in conjuncts(node.condition)]
    found = _both_bounds([bound for _, bounds in parts for bound in bounds])
    if found is None:
        _refuse_mixed_times(conjuncts(node.condition))
        return node
    times, lower, upper = found
    others = [part for part, bounds in parts if not bounds or bounds[0].times != times]
    fields = {field.name: getattr(node, field.name) for field in dataclasses.fields(node)}
    fields["condition"] = conjunction(others) if others else None
    return IntervalJoinQueryOperation(**fields, times=times, lower=lower, upper=upper)


def _both_bounds(bounds: Sequence[_Bound]) -> tuple[_Times, int, int] | None:
    """Returns the first pair of times that is bounded from both sides, and its bounds; None if there is none."""
    for times in dict.fromkeys(bound.times for bound in bounds):
        of_times = [bound for bound in bounds if bound.times == times]
        lower = max((bound.lower for bound in of_times if bound.lower is not None), default=None)
        upper = min((bound.upper for bound in of_times if bound.upper is not None), default=None)
        if lower is not None and upper is not None:
            return times, lower, upper
    return None


def _refuse_mixed_times(condition: Sequence[ResolvedExpression]) -> None:
    """Refuses bounds between event times of which a cast, written or not, makes one type; equality is a condition like others."""
    parts = [part for part in condition if not (isinstance(part, CallExpression) and part.function is comparison.EQUALS)]
    found = _both_bounds([bound for part in parts for bound in _bounds(part, is_mixed=True)])
    if found is None:
        return
    (left, right), _, _ = found
    types = [plain_timestamp(time.output_type.with_nullability(True)) for time in (left, right)]
    raise ValidationException(
        f"The join bounds event times of different types: {left.name} of the left table is {types[0]}, {right.name} of the right table is {types[1]}. "
        "An interval join needs one type, and a CAST in the condition is not a time attribute.",
        hint=f"declare in the right table x AS CAST({right.name} AS {types[0]}), WATERMARK FOR x, and compare x; "
        f"or in the left table x AS CAST({left.name} AS {types[1]}), WATERMARK FOR x",
    )


def _bounds(part: ResolvedExpression, *, is_mixed: bool = False) -> list[_Bound]:
    """Returns the bounds that follow from a conjunct; none if it does not compare time attributes of both inputs.

    With ``is_mixed`` these are event times of different types.
    """
    if not isinstance(part, CallExpression):
        return []
    if part.function is comparison.BETWEEN and len(part.args) == 3:
        value, least, greatest = part.args
        found = [
            _bound(comparison.GREATER_THAN_OR_EQUAL, value, least, is_mixed=is_mixed),
            _bound(comparison.LESS_THAN_OR_EQUAL, value, greatest, is_mixed=is_mixed),
        ]
        return [bound for bound in found if bound is not None] if None not in found else []
    if part.function not in comparison.MIRRORED or len(part.args) != 2:
        return []
    bound = _bound(part.function, *part.args, is_mixed=is_mixed)
    return [] if bound is None else [bound]


def _bound(function: FunctionDefinition, one: ResolvedExpression, other: ResolvedExpression, *, is_mixed: bool) -> _Bound | None:
    left, right = _shifted(one, through_casts=is_mixed), _shifted(other, through_casts=is_mixed)
    if left is None or right is None or left.time.input_index == right.time.input_index:
        return None
    if left.time.input_index == 1:
        function, left, right = comparison.MIRRORED[function], right, left
    types = left.time.output_type, right.time.output_type
    if is_mixed:
        if type(types[0]) is type(types[1]) or not all(map(is_rowtime, types)):
            return None
    elif type(types[0]) is not type(types[1]) or is_rowtime(types[0]) is not is_rowtime(types[1]):
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


def _shifted(expression: ResolvedExpression, *, through_casts: bool = False) -> _Shifted | None:
    """Returns a time attribute to which constant intervals are added or subtracted, and that may be cast; None for other expressions."""
    shift = 0
    while isinstance(expression, CallExpression):
        if expression.function is conversion.CAST and (through_casts or _only_widens(expression)):
            expression = expression.args[0]
            continue
        if expression.function not in (arithmetic.PLUS, arithmetic.MINUS) or len(expression.args) != 2:
            return None
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


def _only_widens(cast: CallExpression) -> bool:
    """Whether a cast gives times more digits, up to milliseconds, as a comparison of time attributes of different precisions does."""
    source, target = cast.args[0].output_type, cast.output_type
    if not isinstance(source, _TIMES) or not isinstance(target, _TIMES):
        return False
    return type(source) is type(target) and source.precision < target.precision <= _PRECISION


def _milliseconds(expression: ResolvedExpression) -> int | None:
    """Returns a constant interval of whole milliseconds."""
    if not isinstance(expression, ValueLiteralExpression) or not isinstance(expression.output_type, DayTimeIntervalType):
        return None
    value = expression.value
    return value // _NANOS if isinstance(value, int) and value % _NANOS == 0 else None
