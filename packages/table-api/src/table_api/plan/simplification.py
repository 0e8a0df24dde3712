"""Shorter forms of conditions that have constants in them."""

from __future__ import annotations

from table_api.plan.expressions import conjunction, conjuncts, disjunction, disjuncts
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression

__all__ = ["is_false", "is_true", "simplified"]


def is_true(expression: ResolvedExpression) -> bool:
    """Returns whether this is the constant TRUE."""
    return isinstance(expression, ValueLiteralExpression) and expression.value is True


def is_false(expression: ResolvedExpression) -> bool:
    """Returns whether this is the constant FALSE."""
    return isinstance(expression, ValueLiteralExpression) and expression.value is False


def simplified(call: CallExpression) -> ResolvedExpression:
    """Returns an expression with the same value and type, or the call itself.

    TRUE goes from AND and FALSE from OR, their opposites decide; two NOTs cancel out; whether a NOT NULL column is NULL is known.
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
    if not kept:
        return ValueLiteralExpression(name == "AND", call.output_type)
    if len(kept) == len(parts):
        return call
    result = conjunction(kept) if name == "AND" else disjunction(kept)
    return result if result.output_type == call.output_type else call
