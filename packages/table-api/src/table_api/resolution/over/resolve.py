"""OVER windows: resolves named windows, types the calls and checks the frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from table_api.expressions.unresolved import (
    FrameBound,
    FrameBoundKind,
    FrameUnit,
    NamedWindow,
    Over,
    OverWindowSpec,
    Span,
    UnresolvedExpression,
)
from table_api.operations import SortOrder, WindowBound, WindowFrame
from table_api.resolution.aggregate_expression import AggregateExpression
from table_api.resolution.key_types import check_key
from table_api.resolution.over.expression import WindowExpression, contains_window
from table_common.exact_decimals import ROUND_DOWN, from_unscaled, rounded
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.expressions import ResolvedExpression, ValueLiteralExpression, is_constant
from table_common.frozen_dataclass import replace
from table_common.functions import FunctionDefinition
from table_common.tree import preorder, transform_up
from table_common.types import (
    EXACT_INTEGERS,
    INTERVALS,
    NUMERICS,
    BigIntType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    LogicalType,
    TimestampType,
    TimeType,
    find_common_type,
)

_PLACES = {kind: place for place, kind in enumerate(FrameBoundKind)}
"""The kinds of bounds, in order from the first row of the partition to the last."""
_DATES = (DateType, TimestampType, LocalZonedTimestampType)
_UNBOUNDED = FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING)
_CURRENT = FrameBound(FrameBoundKind.CURRENT_ROW)
_PositionOf = Callable[[Span | None], SourcePosition | None]
_ConstantValue = Callable[[ResolvedExpression], ValueLiteralExpression | None]


# --- names ------------------------------------------------------------------------------------------------------------------------


def named_windows(windows: Sequence[NamedWindow], position: SourcePosition | None = None) -> dict[str, OverWindowSpec]:
    """Returns the windows of a WINDOW clause by name, each complete: one may build on those before it.

    Raises:
        ValidationException: a name is defined twice, or a window refers to one that does not exist or cannot be extended.
    """
    result: dict[str, OverWindowSpec] = {}
    for window in windows:
        if window.name in result:
            raise ValidationException(f"The window '{window.name}' is defined twice.", position=position)
        result[window.name] = _based(window.spec, result, position)
    return result


def with_window_specs(
    expression: UnresolvedExpression, windows: Mapping[str, OverWindowSpec], position_of: _PositionOf
) -> tuple[UnresolvedExpression, frozenset[int]]:
    """Returns the expression with ``OVER name`` written out, and the ids of its calls that have an OVER window.

    Raises:
        ValidationException: there is no window of that name.
    """

    def change(node: UnresolvedExpression) -> UnresolvedExpression:
        if not isinstance(node, Over):
            return node
        if isinstance(node.window, str):
            return replace(node, window=_window(node.window, windows, position_of(node.span)))
        spec = _based(node.window, windows, position_of(node.span))
        return node if spec is node.window else replace(node, window=spec)

    windowed = _windowed_calls(expression)
    if not windowed:
        return expression, windowed
    changed = transform_up(expression, UnresolvedExpression, change)
    return changed, _windowed_calls(changed)


def _windowed_calls(expression: UnresolvedExpression) -> frozenset[int]:
    """Returns the ids of the calls that have an OVER window: aggregates may stand among their arguments."""
    return frozenset(id(node.call) for node in preorder(expression, UnresolvedExpression) if isinstance(node, Over))


def _window(name: str, windows: Mapping[str, OverWindowSpec], position: SourcePosition | None) -> OverWindowSpec:
    if name not in windows:
        raise ValidationException.unknown("Window", name, list(windows), position=position)
    return windows[name]


def _based(spec: OverWindowSpec, windows: Mapping[str, OverWindowSpec], position: SourcePosition | None) -> OverWindowSpec:
    """Returns the specification merged with that of the window it refers to."""
    if spec.base is None:
        return spec
    base = _window(spec.base, windows, position)
    if spec.partition_by:
        raise ValidationException(f"A window based on '{spec.base}' cannot have its own PARTITION BY.", position=position)
    if spec.order_by and base.order_by:
        raise ValidationException(f"The window '{spec.base}' has an ORDER BY already.", position=position)
    if base.unit is not None:
        raise ValidationException(f"The window '{spec.base}' has a frame, so no other window can be based on it.", position=position)
    return replace(spec, partition_by=base.partition_by, order_by=spec.order_by or base.order_by, base=None)


# --- calls ------------------------------------------------------------------------------------------------------------------------


def resolve_over(
    node: Over,
    children: Sequence[Any],
    *,
    constant_value: _ConstantValue,
    ignore_nulls: bool | None,
    position: SourcePosition | None,
) -> WindowExpression:
    """Returns the call with its window; ``children`` are the resolved call, partition keys, order keys and offsets, in this order.

    ``constant_value`` evaluates the offsets: ``CAST(2 AS BIGINT) PRECEDING`` is how Flink prints frames of the Table API.

    Raises:
        ValidationException: the call cannot stand before OVER, or the window does not fit it.
    """
    spec = node.window
    assert isinstance(spec, OverWindowSpec)
    call, *rest = children
    partition_by: tuple[ResolvedExpression, ...] = tuple(rest[: len(spec.partition_by)])
    order_by: tuple[SortOrder, ...] = tuple(rest[len(spec.partition_by) : len(spec.partition_by) + len(spec.order_by)])
    offsets = [_constant(offset, constant_value) for offset in rest[len(spec.partition_by) + len(spec.order_by) :]]
    if not isinstance(call, AggregateExpression):
        raise ValidationException(f"OVER needs an aggregate or a window function before it, but {call} is none.", position=position)
    keys = [*partition_by, *(order.expression for order in order_by)]
    for index, key in enumerate(keys):
        check_key("PARTITION BY" if index < len(partition_by) else "ORDER BY", key, position)
    if contains_window([*call.args, *([call.filter] if call.filter is not None else []), *keys]):
        raise ValidationException(
            f"The window function {call.function.name} has a window function inside of it.",
            position=position,
            hint="compute the inner one in a query in FROM",
        )
    _check_call(call, order_by, spec, ignore_nulls, position)
    frame = _frame(call.function, spec, order_by, offsets, position)
    return WindowExpression(
        call.function, call.args, call.output_type, partition_by, order_by, frame, call.distinct, call.filter, ignore_nulls
    ).typed()


def _check_call(
    call: AggregateExpression,
    order_by: Sequence[SortOrder],
    spec: OverWindowSpec,
    ignore_nulls: bool | None,
    position: SourcePosition | None,
) -> None:
    name, traits = call.function.name, call.function.aggregate_traits
    if traits.is_of_grouping_sets:
        raise ValidationException(f"{name} cannot have an OVER window: it belongs to GROUP BY.", position=position)
    if traits.needs_order and not order_by:
        raise ValidationException(f"{name} needs an ORDER BY in its window.", position=position)
    if traits.is_over_only and (call.distinct or call.filter is not None):
        raise ValidationException(f"{name} takes neither DISTINCT nor FILTER.", position=position)
    if traits.is_over_only and spec.unit is not None:
        raise ValidationException(f"{name} uses the whole partition and takes no {spec.unit.value} frame.", position=position)
    if ignore_nulls is not None and not traits.takes_null_treatment:
        raise ValidationException(f"{name} does not take IGNORE NULLS or RESPECT NULLS.", position=position)
    if call.order_by:
        raise TableException(
            f"{name} cannot have its own ORDER BY in a window.", position=position, hint="the window's ORDER BY is its order"
        )
    bucket = call.args[0] if name == "NTILE" else None
    if isinstance(bucket, ValueLiteralExpression) and (bucket.value is None or bucket.value <= 0):
        raise ValidationException(f"NTILE takes a number of buckets above 0, but got {bucket}.", position=position)
    distance = call.args[1] if name in ("LAG", "LEAD") and len(call.args) > 1 else None
    if isinstance(distance, ValueLiteralExpression) and distance.value is not None and distance.value < 0:
        other = "LEAD" if name == "LAG" else "LAG"
        raise ValidationException(f"{name} takes a distance of 0 or more rows, but got {distance}.", position=position, hint=f"use {other}")


# --- frames -----------------------------------------------------------------------------------------------------------------------


def _frame(
    function: FunctionDefinition,
    spec: OverWindowSpec,
    order_by: Sequence[SortOrder],
    offsets: Sequence[ResolvedExpression],
    position: SourcePosition | None,
) -> WindowFrame | None:
    if function.aggregate_traits.is_over_only:
        return None
    if spec.unit is None:
        if order_by:
            return WindowFrame(FrameUnit.RANGE, WindowBound(_UNBOUNDED.kind), WindowBound(_CURRENT.kind))
        return WindowFrame(FrameUnit.ROWS, WindowBound(_UNBOUNDED.kind), WindowBound(FrameBoundKind.UNBOUNDED_FOLLOWING))
    lower, upper = spec.lower or _UNBOUNDED, spec.upper or _CURRENT
    if lower.kind is FrameBoundKind.UNBOUNDED_FOLLOWING or upper.kind is FrameBoundKind.UNBOUNDED_PRECEDING:
        wrong = "begin with UNBOUNDED FOLLOWING" if lower.kind is FrameBoundKind.UNBOUNDED_FOLLOWING else "end with UNBOUNDED PRECEDING"
        raise ValidationException(f"A frame cannot {wrong}.", position=position)
    if _PLACES[lower.kind] > _PLACES[upper.kind]:
        raise ValidationException(f"A frame cannot begin with {lower.kind.value} and end with {upper.kind.value}.", position=position)
    if spec.unit is FrameUnit.RANGE:
        _check_range(spec, lower, upper, order_by, position)
        if not order_by:  # all rows are peers
            return WindowFrame(FrameUnit.ROWS, WindowBound(_UNBOUNDED.kind), WindowBound(FrameBoundKind.UNBOUNDED_FOLLOWING))
    # Differs from Flink: ROWS without ORDER BY counts rows in the order in which they come, as PostgreSQL has it; Flink takes the whole partition.
    remaining = list(offsets)

    def bound(given: FrameBound) -> WindowBound:
        if given.offset is None:
            return WindowBound(given.kind)
        offset = remaining.pop(0)
        key = order_by[0].expression.output_type if spec.unit is FrameUnit.RANGE else None
        return WindowBound(given.kind, _offset(offset, key, position))

    return WindowFrame(spec.unit, bound(lower), bound(upper))


def _check_range(
    spec: OverWindowSpec, lower: FrameBound, upper: FrameBound, order_by: Sequence[SortOrder], position: SourcePosition | None
) -> None:
    """Checks that a RANGE frame with an offset has one order key and, as in Flink, that one without BETWEEN has at most one."""
    given = "none" if not order_by else f"{len(order_by)} of them"
    if (lower.offset is not None or upper.offset is not None) and len(order_by) != 1:
        raise ValidationException(
            f"A RANGE frame with a distance needs one order key, but there is {given}.",
            position=position,
            hint="use ROWS, or one key in ORDER BY",
        )
    if spec.upper is None and len(order_by) > 1:
        raise ValidationException(
            f"RANGE {lower.kind.value} takes one order key, but there is {given}.",
            position=position,
            hint=f"write RANGE BETWEEN {lower.kind.value} AND {upper.kind.value}",
        )


def _constant(offset: ResolvedExpression, constant_value: _ConstantValue) -> ResolvedExpression:
    """Returns the value of the offset if it is a constant, else the offset itself."""
    if isinstance(offset, ValueLiteralExpression) or not is_constant(offset):
        return offset
    return constant_value(offset) or offset


def _offset(offset: ResolvedExpression, key: LogicalType | None, position: SourcePosition | None) -> ValueLiteralExpression:
    """Returns the offset of a bound; ``key`` is the type of the order key of a RANGE frame."""
    # Differs from Flink: a distance that is NULL or below 0 after a cast is an error, as a literal is; Flink computes a frame of it.
    if not isinstance(offset, ValueLiteralExpression) or offset.value is None or _is_negative(offset.value):
        raise ValidationException(f"The distance of a frame is a constant of 0 or more, but got {offset}.", position=position)
    given = offset.output_type
    if key is None:
        if not isinstance(given, EXACT_INTEGERS):
            raise ValidationException.wrong_type("ROWS", expected="a number of rows", got=given, position=position)
        return _number(offset, BigIntType(nullable=False))
    if isinstance(key, NUMERICS) and isinstance(given, NUMERICS):
        if isinstance(key, DecimalType) and not isinstance(given, (FloatType, DoubleType)):
            return _decimal_distance(Decimal(offset.value), key, position)
        common = find_common_type((key, given))
        if common is not None:
            return _number(offset, common.not_null())
    elif isinstance(given, INTERVALS if isinstance(key, _DATES) else DayTimeIntervalType) and isinstance(key, (*_DATES, TimeType)):
        return offset
    expected = "a number" if isinstance(key, NUMERICS) else "an interval"
    if not isinstance(key, (*NUMERICS, *_DATES, TimeType)):
        raise ValidationException(
            f"A RANGE frame with a distance needs a number or a time in ORDER BY, not {key}.", position=position, hint="use ROWS"
        )
    raise ValidationException.wrong_type(f"RANGE over {key}", expected=expected, got=given, position=position)


def _is_negative(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal)) and value < 0


def _decimal_distance(distance: Decimal, key: DecimalType, position: SourcePosition | None) -> ValueLiteralExpression:
    """Returns the distance with the scale of the key: two keys differ by a multiple of its last digit, so further digits change nothing.

    The common type of both could have fewer digits after the point than the key. A digit before the point is added, if there is room: the
    keys of the type differ by less than twice its largest value.
    """
    digits = min(key.precision + 1, DecimalType.MAX_PRECISION)
    whole = from_unscaled(10**key.precision, key.scale)
    shortened = rounded(distance, key.scale, ROUND_DOWN)
    if digits > key.precision:
        shortened = min(shortened, from_unscaled(2 * 10**key.precision, key.scale))
    elif shortened >= whole:
        raise ValidationException(
            f"The distance of a frame over {key} is less than 1e{key.precision - key.scale}, but got {distance}.",
            position=position,
            hint="use UNBOUNDED",
        )
    return ValueLiteralExpression(shortened, DecimalType(digits, key.scale, nullable=False))


def _number(offset: ValueLiteralExpression, target: LogicalType) -> ValueLiteralExpression:
    """Returns the offset in the common type of the offset and the order key."""
    if isinstance(target, (FloatType, DoubleType)):
        return ValueLiteralExpression(float(offset.value), target)
    if isinstance(target, DecimalType):
        return ValueLiteralExpression(Decimal(offset.value), target)
    return ValueLiteralExpression(int(offset.value), target)
