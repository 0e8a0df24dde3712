"""Predicates that planners push into connectors, and their evaluation over Python values in SQL's three-valued logic."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison, conversion, logic, strings
from table_common.tree import preorder
from table_common.types import EXACT_INTEGERS, BooleanType, CharacterType, DecimalType, RowType

Row = tuple[Any, ...]
_COMPARISONS: dict[FunctionDefinition, Callable[[Any, Any], Any]] = {
    comparison.EQUALS: operator.eq,
    comparison.NOT_EQUALS: operator.ne,
    comparison.LESS_THAN: operator.lt,
    comparison.LESS_THAN_OR_EQUAL: operator.le,
    comparison.GREATER_THAN: operator.gt,
    comparison.GREATER_THAN_OR_EQUAL: operator.ge,
}
_NEGATIONS: dict[FunctionDefinition, FunctionDefinition] = {
    comparison.IS_NOT_NULL: comparison.IS_NULL,
    comparison.IS_DISTINCT_FROM: comparison.IS_NOT_DISTINCT_FROM,
    comparison.NOT_IN: comparison.IN,
    comparison.NOT_BETWEEN: comparison.BETWEEN,
    strings.NOT_LIKE: strings.LIKE,
}
_LIKES = (strings.LIKE, strings.NOT_LIKE)
_SURE = (comparison.IS_NULL, comparison.IS_NOT_NULL, comparison.IS_DISTINCT_FROM, comparison.IS_NOT_DISTINCT_FROM)


def conditions_over(row_type: RowType, rows: Sequence[Row]) -> list[ResolvedExpression]:
    """Returns conditions of every kind over each column whose values are numbers, text or booleans, with constants that occur and that do not."""
    found: list[ResolvedExpression] = []
    for index, field in enumerate(row_type.fields):
        column = FieldReferenceExpression(field.name, field.type, 0, index)
        found += [_call(comparison.IS_NULL, column), _call(comparison.IS_NOT_NULL, column)]
        values = [row[index] for row in rows if row[index] is not None]
        if not values or not isinstance(values[0], (int, float, str, Decimal)):
            continue
        found += _over_column(column, sorted(set(values)))
        if isinstance(field.type, BooleanType):
            found += [column, _call(logic.NOT, column)]
        if isinstance(field.type, EXACT_INTEGERS):
            found += _of_another_type(column, sorted(set(values)))
        if isinstance(field.type, CharacterType):
            found += _over_text(column, max(values, key=len))
    parts = [found[position * len(found) // 6] for position in range(6)]
    for one, other in pairwise(parts):
        found += [_call(logic.AND, one, other), _call(logic.OR, one, other), _call(logic.NOT, _call(logic.AND, one, other))]
    return found


def is_true(condition: ResolvedExpression, row: Row) -> bool:
    """Returns whether a row fulfills a condition of ``conditions_over``: NULL does not."""
    return _value(condition, row) is True


def one_of_each_kind(conditions: Iterable[ResolvedExpression], rows: Sequence[Row]) -> list[ResolvedExpression]:
    """Returns, of the conditions that differ in columns and constants alone, one over text and one over something else.

    It prefers a condition that about half of the rows fulfill, and adds one that no row fulfills.
    """
    found: dict[object, tuple[int, ResolvedExpression]] = {}
    for condition in conditions:
        count = sum(is_true(condition, row) for row in rows)
        balance = abs(2 * count - len(rows))
        kind = (count > 0, *map(_kind, preorder(condition, ResolvedExpression)))
        if kind not in found or balance < found[kind][0]:
            found[kind] = balance, condition
    return [condition for _, condition in found.values()]


def _kind(node: ResolvedExpression) -> object:
    if isinstance(node, CallExpression):
        return node.function
    if isinstance(node, ValueLiteralExpression):
        return "constant" if node.value is not None else "NULL"
    return "text" if isinstance(node.output_type, CharacterType) else "value"


def _call(function: FunctionDefinition, *args: ResolvedExpression) -> CallExpression:
    return CallExpression(function, args, BooleanType(nullable=function not in _SURE))


def _over_column(column: FieldReferenceExpression, values: Sequence[Any]) -> list[ResolvedExpression]:
    low, middle, high = (_literal(column, values[at]) for at in (0, len(values) // 2, -1))
    null = ValueLiteralExpression(None, column.output_type.with_nullability(True))
    absent = _absent(column, values) or middle
    equal = _call(comparison.EQUALS, column, middle)
    return [
        *(_call(function, column, middle) for function in _COMPARISONS),
        *(_call(function, middle, column) for function in _COMPARISONS),
        *(_call(comparison.EQUALS, column, other) for other in (absent, null)),
        *(_call(function, column, other) for function in _SURE[2:] for other in (middle, null)),
        *(_call(comparison.IN, column, *options) for options in ((middle,), (low, high), (absent, middle), (middle, null))),
        *(_call(comparison.NOT_IN, column, *options) for options in ((low, high), (middle, null))),
        *(_call(comparison.BETWEEN, column, *bounds) for bounds in ((low, middle), (middle, high), (high, low))),
        _call(comparison.NOT_BETWEEN, column, low, middle),
        *(
            _call(logic.NOT, part)
            for part in (equal, _call(comparison.GREATER_THAN, column, middle), _call(comparison.IN, column, low, high))
        ),
        _call(logic.AND, _call(comparison.GREATER_THAN_OR_EQUAL, column, low), _call(comparison.NOT_EQUALS, column, high)),
        _call(logic.OR, equal, _call(comparison.IS_NULL, column)),
        _call(logic.NOT, _call(logic.OR, equal, _call(comparison.EQUALS, column, high))),
    ]


def _of_another_type(column: FieldReferenceExpression, values: Sequence[int]) -> list[ResolvedExpression]:
    """Returns comparisons of whole numbers with a decimal between them, as planners write them."""
    type_ = DecimalType(20, 1)
    cast = CallExpression(conversion.CAST, (column, TypeLiteralExpression(type_)), type_.with_nullability(column.output_type.nullable))
    between = ValueLiteralExpression(Decimal(f"{values[len(values) // 2]}.4"), type_.not_null())
    least = ValueLiteralExpression(Decimal(f"{values[0]}.0"), type_.not_null())
    functions = (comparison.EQUALS, comparison.NOT_EQUALS, comparison.LESS_THAN, comparison.GREATER_THAN)
    return [*(_call(function, cast, between) for function in functions), _call(comparison.IN, cast, between, least)]


def _over_text(column: FieldReferenceExpression, text: str) -> list[ResolvedExpression]:
    """Returns conditions with patterns, and with constants that are nearly a text that occurs."""
    wildcards = (f"{text[:1]}%", f"%{text[-1:]}", f"%{text[1:2]}%", f"_{text[1:]}", f"_{text[2:]}", f"{text[:1]}%{text[-1:]}")
    patterns = (*wildcards, text, f"{text[:1].swapcase()}%")
    constants = (text.swapcase(), f"{text} ", text[1:], text[:-1])
    return [
        *(_call(function, column, _literal(column, p)) for function in _LIKES for p in patterns if "\\" not in p),
        *(_call(comparison.EQUALS, column, _literal(column, constant)) for constant in constants),
        _call(comparison.IN, column, *(_literal(column, constant) for constant in constants)),
    ]


def _literal(column: FieldReferenceExpression, value: Any) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, column.output_type.not_null())


def _absent(column: FieldReferenceExpression, values: Sequence[Any]) -> ValueLiteralExpression | None:
    """Returns a value of the column's type that does not occur, if there is a simple one."""
    type_ = column.output_type
    if isinstance(type_, EXACT_INTEGERS):
        absent = next((value + 1 for value, following in pairwise(values) if following > value + 1), None)
    elif isinstance(values[0], float):
        absent = values[-1] / 3 + values[0] / 3
    else:
        absent = max(values, key=len)[:-1] if isinstance(type_, CharacterType) else None
    return None if absent is None or absent in values else _literal(column, absent)


# --- evaluation -----------------------------------------------------------------------------------------------------------


def _value(expression: ResolvedExpression, row: Row) -> Any:
    if isinstance(expression, FieldReferenceExpression):
        return row[expression.field_index]
    if isinstance(expression, ValueLiteralExpression):
        return expression.value
    assert isinstance(expression, CallExpression)
    function = expression.function
    if function is conversion.CAST:  # to a wider type
        return _value(expression.args[0], row)
    negated = _NEGATIONS.get(function)
    args = [_value(arg, row) for arg in expression.args]
    return _call_value(function, args) if negated is None else _inverted(_call_value(negated, args))


def _call_value(function: FunctionDefinition, args: Sequence[Any]) -> bool | None:
    compare = _COMPARISONS.get(function)
    if compare is not None:
        return None if None in args else bool(compare(*args))
    if function is logic.AND:
        return _all(args)
    if function is logic.OR:
        return _inverted(_all([_inverted(arg) for arg in args]))
    if function is logic.NOT:
        return _inverted(args[0])
    if function is comparison.IS_NULL:
        return args[0] is None
    if function is comparison.IS_NOT_DISTINCT_FROM:
        return bool(args[0] == args[1])
    if function is comparison.IN:
        found = [None if args[0] is None or item is None else bool(args[0] == item) for item in args[1:]]
        return _inverted(_all([_inverted(one) for one in found]))
    if function is comparison.BETWEEN:
        value, low, high = args
        bounds = ((low, value), (value, high))
        return _all([None if one is None or other is None else bool(one <= other) for one, other in bounds])
    assert function is strings.LIKE, f"{function.name} is not among the conditions"
    return None if None in args else bool(re.fullmatch(_regex(args[1]), args[0], re.DOTALL))


def _all(values: Sequence[bool | None]) -> bool | None:
    return False if False in values else None if None in values else True


def _inverted(value: bool | None) -> bool | None:
    return None if value is None else not value


def _regex(pattern: str) -> str:
    return "".join({"%": ".*", "_": "."}.get(char, re.escape(char)) for char in pattern)
