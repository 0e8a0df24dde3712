"""Which ranks a condition allows."""

from __future__ import annotations

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison


def rank_bounds(part: ResolvedExpression, column: int) -> tuple[int, int | None] | None:
    """Returns the least and the greatest rank for which a comparison of the rank with a constant is true; None for other conditions."""
    if not isinstance(part, CallExpression) or len(part.args) < 2:
        return None
    if part.function is comparison.BETWEEN:
        least, greatest = _constant(part.args[1]), _constant(part.args[2])
        return (least, greatest) if _is_rank(part.args[0], column) and least is not None and greatest is not None else None
    function, (one, other) = part.function, part.args[:2]
    if function not in comparison.MIRRORED:
        return None
    if not _is_rank(one, column):
        function, one, other = comparison.MIRRORED[function], other, one
    value = _constant(other)
    if not _is_rank(one, column) or value is None:
        return None
    bounds: dict[FunctionDefinition, tuple[int, int | None]] = {
        comparison.LESS_THAN: (1, value - 1),
        comparison.LESS_THAN_OR_EQUAL: (1, value),
        comparison.GREATER_THAN: (value + 1, None),
        comparison.GREATER_THAN_OR_EQUAL: (value, None),
        comparison.EQUALS: (value, value),
    }
    return bounds.get(function)


def _is_rank(expression: ResolvedExpression, column: int) -> bool:
    return isinstance(expression, FieldReferenceExpression) and expression.field_index == column


def _constant(expression: ResolvedExpression) -> int | None:
    value = expression.value if isinstance(expression, ValueLiteralExpression) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
