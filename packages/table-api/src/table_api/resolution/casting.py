"""Implicit casts: literals get the target type directly, other expressions a CAST call."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from table_common.exact_decimals import rounded
from table_common.expressions import CallExpression, ResolvedExpression, TypeLiteralExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import (
    EXACT_INTEGERS,
    CharType,
    DecimalType,
    DoubleType,
    LogicalType,
    RowType,
    VarCharType,
    plain_timestamp,
)

_ROW = BUILT_INS_BY_NAME["ROW"]
_INTEGER_BITS = dict(zip(EXACT_INTEGERS, (8, 16, 32, 64), strict=True))


def same_type(left: LogicalType, right: LogicalType) -> bool:
    """Returns whether the types are equal, ignoring nullability."""
    return left == right.with_nullability(left.nullable)


def cast_to(expression: ResolvedExpression, target: LogicalType) -> ResolvedExpression:
    """Returns the expression cast to ``target``; the nullability of the expression is kept."""
    target = target.with_nullability(expression.output_type.nullable)
    return expression if same_type(expression.output_type, target) else _cast(expression, target)


def cast_all(expressions: Sequence[ResolvedExpression], target: LogicalType) -> list[ResolvedExpression]:
    """Returns each expression cast to ``target``, as ``cast_to`` does; compares each distinct type once."""
    targets: dict[LogicalType, LogicalType | None] = {}
    result = []
    for expression in expressions:
        source = expression.output_type
        if source not in targets:
            targets[source] = None if same_type(source, target) else target.with_nullability(source.nullable)
        to = targets[source]
        result.append(expression if to is None else _cast(expression, to))
    return result


def _cast(expression: ResolvedExpression, target: LogicalType) -> ResolvedExpression:
    """Returns an expression of another type cast to ``target``; a literal is converted where its value does not change."""
    if isinstance(expression, ValueLiteralExpression):
        retyped = _retyped_literal(expression, target)
        if retyped is not None:
            return retyped
    return CallExpression(BUILT_INS_BY_NAME["CAST"], (expression, TypeLiteralExpression(target)), target)


def _retyped_literal(literal: ValueLiteralExpression, target: LogicalType) -> ValueLiteralExpression | None:
    """Returns the literal with another type if its value does not change, else None."""
    value = literal.value
    if value is None:
        return ValueLiteralExpression(None, target.with_nullability(True))
    if isinstance(value, int) and not isinstance(value, bool) and isinstance(literal.output_type, EXACT_INTEGERS):
        if isinstance(target, EXACT_INTEGERS):
            bits = _INTEGER_BITS[type(target)]
            return ValueLiteralExpression(value, target) if -(1 << bits - 1) <= value < 1 << bits - 1 else None
        if isinstance(target, DecimalType) and len(str(abs(value))) <= target.precision - target.scale:
            return ValueLiteralExpression(rounded(Decimal(value), target.scale), target)
        if isinstance(target, DoubleType) and abs(value) < 1 << 53:
            return ValueLiteralExpression(float(value), target)
    if isinstance(value, Decimal):
        if isinstance(target, DecimalType) and isinstance(literal.output_type, DecimalType):
            source = literal.output_type
            if target.scale >= source.scale and target.precision - target.scale >= source.precision - source.scale:
                return ValueLiteralExpression(rounded(value, target.scale), target)
        if isinstance(target, DoubleType):
            return ValueLiteralExpression(float(value), target)
    if isinstance(value, str) and isinstance(literal.output_type, (CharType, VarCharType)):
        if isinstance(target, VarCharType) and len(value) <= target.length:
            return ValueLiteralExpression(value, target)
        if isinstance(target, CharType) and len(value) == target.length:
            return ValueLiteralExpression(value, target)
    return None


def cast_arguments(
    arguments: Sequence[ResolvedExpression], types: Sequence[LogicalType], *, into_rows: bool = False
) -> tuple[ResolvedExpression, ...]:
    """Returns the arguments cast to these types; ``into_rows``: a ROW of constants becomes a ROW of constants of the fields' types."""
    pairs = _TypePairs()
    result = []
    for argument, wanted in zip(arguments, types, strict=True):
        if pairs.target(argument.output_type, wanted) is None:
            result.append(argument)
        else:
            result.append((_retyped_row(argument, wanted, pairs) if into_rows else None) or cast_to(argument, wanted))
    return tuple(result)


class _TypePairs:
    """Compares each pair of types once, by identity: a long list of constants has few types."""

    __slots__ = ("_kept", "_targets")

    def __init__(self) -> None:
        self._targets: dict[tuple[int, int], LogicalType | None] = {}
        self._kept: list[tuple[LogicalType, LogicalType]] = []  # alive, so that their ids stay theirs

    def target(self, given: LogicalType, wanted: LogicalType) -> LogicalType | None:
        """Returns None for the same type, or a time attribute and its plain type, else ``wanted`` with the nullability of ``given``."""
        pair = id(given), id(wanted)
        if pair not in self._targets:
            self._targets[pair] = (
                None if same_type(plain_timestamp(given), plain_timestamp(wanted)) else wanted.with_nullability(given.nullable)
            )
            self._kept.append((given, wanted))
        return self._targets[pair]


def _retyped_row(expression: ResolvedExpression, wanted: LogicalType, pairs: _TypePairs) -> ResolvedExpression | None:
    """Returns a ROW of constants with the fields of ``wanted`` if no value changes, else None."""
    if not (isinstance(expression, CallExpression) and expression.function is _ROW and isinstance(wanted, RowType)):
        return None
    fields: list[ResolvedExpression] = []
    for argument, wanted_field in zip(expression.args, wanted.fields, strict=True):
        target = pairs.target(argument.output_type, wanted_field.type)
        field = argument if target is None else _retyped_row(argument, wanted_field.type, pairs)
        if field is None and target is not None and isinstance(argument, ValueLiteralExpression):
            field = _retyped_literal(argument, target)
        if field is None:
            return None
        fields.append(field)
    return CallExpression(_ROW, tuple(fields), pairs.target(expression.output_type, wanted) or expression.output_type)
