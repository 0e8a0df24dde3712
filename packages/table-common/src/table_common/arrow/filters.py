"""Resolved conditions as expressions of pyarrow.dataset, for scans that skip files, row groups and rows.

Only exact translations are made. A predicate has two translations, one that is true where it is TRUE and one that is true where it is
FALSE, so NULL needs no translation of its own. Floating point numbers are compared only in ways that do not match NaN, because the
statistics of row groups exclude NaN. Times are compared as if they were cut to the digits of their type: files may have more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow.filter_constants import COMPARABLE, are_of_one_family, constant_of, plain_constants
from table_common.arrow.time_digits import may_hide_digits
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison, conversion, logic, strings
from table_common.types import (
    APPROXIMATE_NUMERICS,
    CharacterType,
    DecimalType,
    LocalZonedTimestampType,
    LogicalType,
    RowType,
    TimestampType,
    VarCharType,
    holds_integers_of,
    to_decimal_type,
)

_MAX_DEPTH = 100
_MOST_PREDICATES = 200
"""Conjuncts of more are not translated: for each row group Arrow simplifies an expression, which takes a time that grows with the square of its size."""

_MOST_RANGES = 32
"""Lists with more times of which a column has further digits are not translated."""


def to_arrow_filter(
    expressions: Sequence[ResolvedExpression], row_type: RowType
) -> tuple[Any, list[ResolvedExpression], list[ResolvedExpression]]:
    """Translates the conjuncts that a dataset evaluates exactly as SQL does.

    Args:
        expressions: the conjuncts of a predicate.
        row_type: the columns that references count into; the dataset has columns of these names and of the types' Arrow types.

    Returns:
        The AND of the accepted conjuncts (None if there are none), the accepted conjuncts, and the remaining ones.
    """
    accepted: list[ResolvedExpression] = []
    remaining: list[ResolvedExpression] = []
    filters = []
    for expression in expressions:
        translated = _Translation(row_type).truth(expression, 0) if _is_small(expression) else None
        if translated is None or translated.true is None:
            remaining.append(expression)
        else:
            accepted.append(expression)
            filters.append(translated.true)
    return (reduce(lambda left, right: left & right, filters) if filters else None), accepted, remaining


def _is_small(expression: ResolvedExpression) -> bool:
    waiting, predicates = [expression], 0
    while waiting and predicates <= _MOST_PREDICATES:
        node = waiting.pop()
        if isinstance(node, CallExpression) and node.function in _CONNECTIVES:
            waiting.extend(node.args)
        else:
            predicates += 1
    return predicates <= _MOST_PREDICATES


@dataclass(frozen=True, slots=True)
class _Truth:
    """The translations of a predicate: where it is TRUE and where it is FALSE; None if there is no exact translation."""

    true: Any
    false: Any

    def inverted(self) -> _Truth:
        return _Truth(self.false, self.true)


@dataclass(frozen=True, slots=True)
class _Column:
    field: Any
    type: LogicalType


@dataclass(frozen=True, slots=True)
class _Translation:
    row_type: RowType

    def truth(self, expression: ResolvedExpression, depth: int) -> _Truth | None:
        """Returns the translations of a predicate, or None if it is not supported."""
        if depth > _MAX_DEPTH:
            return None
        if isinstance(expression, ValueLiteralExpression):
            return _Truth(
                _constant(True) if expression.value is True else _constant(False),
                _constant(True) if expression.value is False else _constant(False),
            )
        if isinstance(expression, FieldReferenceExpression):
            column = self.column(expression)
            return None if column is None else _Truth(column.field, ~column.field)
        if not isinstance(expression, CallExpression):
            return None
        connective = _CONNECTIVES.get(expression.function)
        if connective is not None:
            return connective([self.truth(arg, depth + 1) for arg in expression.args])
        test = _TESTS.get(expression.function)
        return None if test is None else test(self, expression)

    def column(self, expression: ResolvedExpression) -> _Column | None:
        """Returns the column that the expression is, also under casts that change neither values nor their order."""
        while isinstance(expression, CallExpression) and expression.function is conversion.CAST:
            inner = expression.args[0]
            if not _keeps_values(inner.output_type, expression.output_type):
                return None
            expression = inner
        if not isinstance(expression, FieldReferenceExpression) or expression.input_index != 0:
            return None
        field = self.row_type.fields[expression.field_index]
        return _Column(pc.field(field.name), field.type) if isinstance(field.type, COMPARABLE) else None

    def compare(self, expression: CallExpression) -> _Truth | None:
        """Translates a comparison of a column with a constant, or with a column of the same type."""
        left, right = expression.args
        function = expression.function
        if isinstance(left, ValueLiteralExpression):
            left, right, function = right, left, comparison.MIRRORED[function]
        column = self.column(left)
        if column is None:
            return None
        if isinstance(right, ValueLiteralExpression):
            if right.value is None:
                return _Truth(_constant(False), _constant(False))
            if may_hide_digits(column.type):
                return _compare_cut(column, function, right)
            operand = _literal(right, column.type)
        elif may_hide_digits(column.type):
            return None
        else:
            other = self.column(right)
            operand = other.field if other is not None and other.type.with_nullability(True) == column.type.with_nullability(True) else None
        if operand is None:
            return None
        holds, fails = _OPERATORS[function]
        return _sides(column, holds(column.field, operand), fails(column.field, operand), holds_for_nan=function is comparison.NOT_EQUALS)

    def distinct(self, expression: CallExpression) -> _Truth | None:
        """Translates IS DISTINCT FROM a constant."""
        left, right = expression.args
        if isinstance(left, ValueLiteralExpression):
            left, right = right, left
        column = self.column(left)
        if column is None or not isinstance(right, ValueLiteralExpression) or isinstance(column.type, APPROXIMATE_NUMERICS):
            return None
        if right.value is None:
            return _Truth(column.field.is_valid(), column.field.is_null())
        if may_hide_digits(column.type):
            equal = _compare_cut(column, comparison.EQUALS, right)
            return None if equal is None else _Truth(equal.false | column.field.is_null(), equal.true)
        operand = _literal(right, column.type)
        return None if operand is None else _Truth((column.field != operand) | column.field.is_null(), column.field == operand)

    def is_null(self, expression: CallExpression) -> _Truth | None:
        """Translates IS NULL."""
        column = self.column(expression.args[0])
        return None if column is None else _Truth(column.field.is_null(), column.field.is_valid())

    def between(self, expression: CallExpression) -> _Truth | None:
        """Translates BETWEEN two constants."""
        value, low, high = expression.args
        bounds = (
            self.compare(CallExpression(comparison.GREATER_THAN_OR_EQUAL, (value, low), expression.output_type)),
            self.compare(CallExpression(comparison.LESS_THAN_OR_EQUAL, (value, high), expression.output_type)),
        )
        return _all(bounds)

    def one_of(self, expression: CallExpression) -> _Truth | None:
        """Translates IN a list of constants."""
        column = self.column(expression.args[0])
        items = expression.args[1:]
        if column is None or isinstance(column.type, APPROXIMATE_NUMERICS):
            return None
        if may_hide_digits(column.type):
            equal = [CallExpression(comparison.EQUALS, (expression.args[0], item), expression.output_type) for item in items]
            are_constants = len(items) <= _MOST_RANGES and all(isinstance(item, ValueLiteralExpression) for item in items)
            return _any([self.compare(one) for one in equal]) if are_constants else None
        values = []
        has_null = False
        plain = plain_constants(items, column.type)
        for item in items if plain is None else ():
            if not isinstance(item, ValueLiteralExpression):
                return None
            if item.value is None:
                has_null = True
                continue
            value = constant_of(item, column.type)
            if value is None:
                return None
            values.append(value)
        if plain is not None:
            found = column.field.isin(plain)
        else:
            found = column.field.isin(pa.concat_arrays([pa.repeat(value, 1) for value in values])) if values else _constant(False)
        # A NULL in the list makes "not found" unknown; a NULL in the column is in no list, and not outside of it either.
        return _Truth(found, _constant(False) if has_null else ~found & column.field.is_valid())

    def like(self, expression: CallExpression) -> _Truth | None:
        """Translates LIKE a constant pattern of a plain prefix, suffix, part or whole."""
        column = self.column(expression.args[0])
        pattern = expression.args[1]
        if column is None or len(expression.args) > 2 or not isinstance(pattern, ValueLiteralExpression):
            return None
        if not isinstance(column.type, CharacterType):
            return None
        if pattern.value is None:
            return _Truth(_constant(False), _constant(False))
        text: str = pattern.value
        inner = text.strip("%")
        if "%" in inner or "_" in inner or not inner:
            return None
        match (text.startswith("%"), text.endswith("%")):
            case (False, False):
                return _Truth(column.field == inner, column.field != inner)
            case (False, True):
                # The order of strings lets row groups be skipped, which starts_with does not.
                matches = pc.starts_with(column.field, inner)
                return _Truth((column.field >= inner) & matches, ~matches)
            case (True, False):
                matches = pc.ends_with(column.field, inner)
            case _:
                matches = pc.match_substring(column.field, inner)
        return _Truth(matches, ~matches)


def _compare_cut(column: _Column, function: FunctionDefinition, literal: ValueLiteralExpression) -> _Truth | None:
    if not are_of_one_family(literal.output_type, column.type):
        return None
    from table_common.arrow.time_comparisons import compare_cut_times  # few conditions compare times

    sides = compare_cut_times(column.field, column.type, function, literal.value)
    return None if sides is None else _Truth(*sides)


def _sides(column: _Column, true: Any, false: Any, *, holds_for_nan: bool) -> _Truth:
    if not isinstance(column.type, APPROXIMATE_NUMERICS):
        return _Truth(true, false)
    # Statistics leave NaN out, so a side that NaN belongs to may not be decided by them.
    return _Truth(None, false) if holds_for_nan else _Truth(true, None)


def _all(truths: Sequence[_Truth | None]) -> _Truth | None:
    """AND: TRUE where all are, FALSE where one is."""
    known = [truth for truth in truths if truth is not None]
    if len(known) < len(truths):
        return None
    return _Truth(
        _joined([truth.true for truth in known], lambda a, b: a & b), _joined([truth.false for truth in known], lambda a, b: a | b)
    )


def _any(truths: Sequence[_Truth | None]) -> _Truth | None:
    inverted = _all([None if truth is None else truth.inverted() for truth in truths])
    return None if inverted is None else inverted.inverted()


def _not(truths: Sequence[_Truth | None]) -> _Truth | None:
    (truth,) = truths
    return None if truth is None else truth.inverted()


def _joined(sides: Sequence[Any], join: Callable[[Any, Any], Any]) -> Any:
    return None if any(side is None for side in sides) else reduce(join, sides)


def _keeps_values(source: LogicalType, target: LogicalType) -> bool:
    """Returns whether a cast changes no value and no order, so that the constant may be converted instead."""
    if holds_integers_of(target, source):
        return True
    decimal = to_decimal_type(source)
    if decimal is not None and isinstance(target, DecimalType):
        return target.scale >= decimal.scale and target.precision - target.scale >= decimal.precision - decimal.scale
    if isinstance(source, CharacterType) and isinstance(target, VarCharType):
        return target.length >= source.length
    if isinstance(source, TimestampType) and isinstance(target, TimestampType):
        return target.precision >= source.precision
    if isinstance(source, LocalZonedTimestampType) and isinstance(target, LocalZonedTimestampType):
        return target.precision >= source.precision
    return source.with_nullability(True) == target.with_nullability(True)


def _literal(literal: ValueLiteralExpression, column_type: LogicalType) -> Any:
    value = constant_of(literal, column_type)
    return None if value is None else pc.scalar(value)


@cache
def _constant(value: bool) -> Any:
    # Where pandas is installed pyarrow imports it for its first scalar: most programs need none of these.
    return pc.scalar(value)


_Test = Callable[[_Translation, CallExpression], _Truth | None]


def _negated(test: _Test) -> _Test:
    def run(translation: _Translation, expression: CallExpression) -> _Truth | None:
        truth = test(translation, expression)
        return None if truth is None else truth.inverted()

    return run


_OPERATORS: dict[FunctionDefinition, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    comparison.EQUALS: (lambda a, b: a == b, lambda a, b: a != b),
    comparison.NOT_EQUALS: (lambda a, b: a != b, lambda a, b: a == b),
    comparison.LESS_THAN: (lambda a, b: a < b, lambda a, b: a >= b),
    comparison.LESS_THAN_OR_EQUAL: (lambda a, b: a <= b, lambda a, b: a > b),
    comparison.GREATER_THAN: (lambda a, b: a > b, lambda a, b: a <= b),
    comparison.GREATER_THAN_OR_EQUAL: (lambda a, b: a >= b, lambda a, b: a < b),
}
"""Comparison → (where it holds, where it does not)."""
_CONNECTIVES: dict[FunctionDefinition, Callable[[Sequence[_Truth | None]], _Truth | None]] = {
    logic.AND: _all,
    logic.OR: _any,
    logic.NOT: _not,
}
_TESTS: dict[FunctionDefinition, _Test] = {
    **dict.fromkeys(_OPERATORS, _Translation.compare),
    comparison.IS_DISTINCT_FROM: _Translation.distinct,
    comparison.IS_NOT_DISTINCT_FROM: _negated(_Translation.distinct),
    comparison.IS_NULL: _Translation.is_null,
    comparison.IS_NOT_NULL: _negated(_Translation.is_null),
    comparison.BETWEEN: _Translation.between,
    comparison.NOT_BETWEEN: _negated(_Translation.between),
    comparison.IN: _Translation.one_of,
    comparison.NOT_IN: _negated(_Translation.one_of),
    strings.LIKE: _Translation.like,
    strings.NOT_LIKE: _negated(_Translation.like),
}
