"""Simplification of conditions that contain constants."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    conjunction,
    conjuncts,
    disjunction,
    disjuncts,
)
from table_common.functions.builtin import comparison
from table_common.types import BooleanType

MOST_EQUALITIES = 20
"""From this number of alternatives, equalities of one column with constants become one IN."""


def is_true(expression: ResolvedExpression) -> bool:
    """Returns whether this is the constant TRUE."""
    return isinstance(expression, ValueLiteralExpression) and expression.value is True


def is_false(expression: ResolvedExpression) -> bool:
    """Returns whether this is the constant FALSE."""
    return isinstance(expression, ValueLiteralExpression) and expression.value is False


def simplified(call: CallExpression) -> ResolvedExpression:
    """Returns an expression with the same value and type, or the call itself.

    Removes TRUE from AND and FALSE from OR; FALSE in AND and TRUE in OR replace the call; two NOTs cancel out; IS [NOT] NULL of a NOT NULL
    column is constant.
    """
    name = call.function.name
    if name in ("AND", "OR"):
        return _connected(call, name)
    (operand, *others) = call.args or (call,)
    if name == "NOT" and isinstance(operand, CallExpression) and operand.function is call.function:
        return operand.args[0]
    is_sure = isinstance(operand, FieldReferenceExpression) and not operand.output_type.nullable and not others
    if name in ("IS_NULL", "IS_NOT_NULL") and is_sure:
        return ValueLiteralExpression(name == "IS_NOT_NULL", call.output_type)
    return call


def _connected(call: CallExpression, name: str) -> ResolvedExpression:
    parts = conjuncts(call) if name == "AND" else disjuncts(call)
    decides, is_idle = (is_false, is_true) if name == "AND" else (is_true, is_false)
    if any(map(decides, parts)):
        return ValueLiteralExpression(name == "OR", call.output_type)
    kept = [part for part in parts if not is_idle(part)]
    if name == "OR" and len(kept) >= MOST_EQUALITIES:
        kept = _with_lists(kept)
    if not kept:
        return ValueLiteralExpression(name == "AND", call.output_type)
    if len(kept) == len(parts):
        return call
    result = conjunction(kept) if name == "AND" else disjunction(kept)
    return result if result.output_type == call.output_type else call


def _with_lists(parts: Sequence[ResolvedExpression]) -> list[ResolvedExpression]:
    """Returns the alternatives of an OR, with equalities of one column with constants of its type merged into one IN."""
    lists: dict[ResolvedExpression, list[ResolvedExpression]] = {}
    others: list[ResolvedExpression] = []
    for part in parts:
        pair = _column_and_constant(part)
        if pair is None:
            others.append(part)
        else:
            lists.setdefault(pair[0], []).append(pair[1])
    if max(map(len, lists.values()), default=0) < MOST_EQUALITIES:
        return list(parts)
    result: list[ResolvedExpression] = []
    for column, constants in lists.items():
        nullable = column.output_type.nullable or any(constant.output_type.nullable for constant in constants)
        if len(constants) > 1:
            result.append(CallExpression(comparison.IN, (column, *constants), BooleanType(nullable=nullable)))
        else:
            result.append(CallExpression(comparison.EQUALS, (column, *constants), BooleanType(nullable=nullable)))
    return [*result, *others]


def _column_and_constant(part: ResolvedExpression) -> tuple[ResolvedExpression, ResolvedExpression] | None:
    if not isinstance(part, CallExpression) or part.function is not comparison.EQUALS:
        return None
    for column, constant in (part.args, part.args[::-1]):
        if isinstance(column, FieldReferenceExpression) and isinstance(constant, ValueLiteralExpression):
            is_same = column.output_type.with_nullability(True) == constant.output_type.with_nullability(True)
            return (column, constant) if is_same else None
    return None
