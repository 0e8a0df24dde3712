"""What a join's equality says about the column of its other side, if a condition fixes one of the two to a constant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from table_api.plan.calls import call
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression, conjuncts
from table_common.functions.builtin import comparison
from table_common.types import APPROXIMATE_NUMERICS


def equated_constants(parts: Iterable[ResolvedExpression], condition: ResolvedExpression | None, side: int) -> Iterator[ResolvedExpression]:
    """Yields ``b = constant`` over the other input for each ``a = constant`` of ``parts``, over input ``side``, and ``a = b`` of a join's condition.

    The references of the parts and of the results have the input index 0, as in a filter. The columns must be of one type, so that the equality
    needs no cast, and not of floating-point numbers. No row without the constant can have a partner that has it.
    """
    equal = list(_equal_columns(condition, side))
    for part in parts:
        if not isinstance(part, CallExpression) or part.function is not comparison.EQUALS:
            continue
        column, constant = part.args if isinstance(part.args[0], FieldReferenceExpression) else reversed(part.args)
        if not isinstance(column, FieldReferenceExpression) or not isinstance(constant, ValueLiteralExpression):
            continue
        for position, other in equal:
            if position == column.field_index:
                yield call(comparison.EQUALS, other, constant)


def _equal_columns(condition: ResolvedExpression | None, side: int) -> Iterator[tuple[int, FieldReferenceExpression]]:
    """Yields the position of a column of one input and the column of the other that must be equal to it."""
    for part in conjuncts(condition) if condition is not None else ():
        if not isinstance(part, CallExpression) or part.function is not comparison.EQUALS:
            continue
        own, other = part.args if getattr(part.args[0], "input_index", None) == side else reversed(part.args)
        if not isinstance(own, FieldReferenceExpression) or not isinstance(other, FieldReferenceExpression):
            continue
        is_one_type = own.output_type.with_nullability(True) == other.output_type.with_nullability(True)
        if own.input_index == side != other.input_index and is_one_type and not isinstance(own.output_type, APPROXIMATE_NUMERICS):
            yield own.field_index, FieldReferenceExpression(other.name, other.output_type, 0, other.field_index)
