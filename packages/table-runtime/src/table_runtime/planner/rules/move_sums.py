"""Several sums of one column plus constants, as one sum of the column: ``SUM(v + 1), SUM(v + 2)`` read ``v`` and compute its sum and count once.

The call keeps what is added as a constant argument (``Offset``); its accumulator computes the values themselves where a number would not fit its type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from table_api.operations import AggregateCall, AggregateQueryOperation, ProjectQueryOperation, QueryOperation
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    map_references,
    references,
)
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import aggregates as fn
from table_common.functions.builtin import arithmetic
from table_common.tree import transform_up
from table_common.types import EXACT_INTEGERS

if TYPE_CHECKING:
    from table_runtime.aggregates.moved_sums import Offset

FEWEST_SUMS = 2
"""Sums of a column and of the column plus constants for which one sum and one count are cheaper."""


def move_sums(root: QueryOperation) -> QueryOperation:
    """Returns a plan with the same result and errors in which such sums are calls of SUM over the column with an ``Offset``."""
    return transform_up(root, QueryOperation, _moved, of=AggregateQueryOperation)


def _moved(node: AggregateQueryOperation) -> QueryOperation:
    below = node.child
    if not isinstance(below, ProjectQueryOperation):
        return node
    sums = {position: parts for position, call in enumerate(node.aggregates) if (parts := _parts(call, below)) is not None}
    of_column = Counter(column.field_index for column, _ in sums.values())
    chosen = {
        position: (column, offset)
        for position, (column, offset) in sums.items()
        if offset is not None and of_column[column.field_index] >= FEWEST_SUMS
    }
    return _rebuilt(node, below, chosen) if chosen else node


def _parts(call: AggregateCall, below: ProjectQueryOperation) -> tuple[FieldReferenceExpression, Offset | None] | None:
    """Returns the column of a sum of whole numbers and what is added to it; None of another call.

    With FILTER or DISTINCT the values are computed for other rows than those that are summed.
    """
    if call.function is not fn.SUM or call.distinct or call.filter is not None or call.constant_args:
        return None
    summed = below.projection[call.args[0].field_index]
    if isinstance(summed, FieldReferenceExpression):
        return (summed, None) if isinstance(summed.output_type, EXACT_INTEGERS) else None
    if not isinstance(summed, CallExpression) or summed.function not in (arithmetic.PLUS, arithmetic.MINUS):
        return None
    column, constant = summed.args
    if summed.function is arithmetic.PLUS and isinstance(constant, FieldReferenceExpression):
        column, constant = constant, column
    if not isinstance(column, FieldReferenceExpression) or not isinstance(constant, ValueLiteralExpression) or constant.value is None:
        return None
    if not all(isinstance(one.output_type, EXACT_INTEGERS) for one in (column, constant, summed)):
        return None
    from table_runtime.aggregates.moved_sums import Offset  # few plans need it

    return column, Offset(summed, constant.value if summed.function is arithmetic.PLUS else -constant.value)


def _rebuilt(
    node: AggregateQueryOperation, below: ProjectQueryOperation, chosen: dict[int, tuple[FieldReferenceExpression, Offset]]
) -> QueryOperation:
    """Returns the aggregate over a projection of what it still reads and of the columns of the chosen calls."""
    others = [call for position, call in enumerate(node.aggregates) if position not in chosen]
    read = {index for _, index in references([*node.grouping, *(part for call in others for part in _inputs(call))])}
    projected: list[ResolvedExpression] = [below.projection[old] for old in sorted(read)]
    places = {old: place for place, old in enumerate(sorted(read))}

    def placed(reference: FieldReferenceExpression) -> FieldReferenceExpression:
        return replace(reference, field_index=places[reference.field_index])

    def call_of(position: int, call: AggregateCall) -> AggregateCall:
        if position in chosen:
            column, offset = chosen[position]
            if column not in projected:
                projected.append(column)
            return replace(call, args=(replace(column, field_index=projected.index(column)),), constant_args=(offset,))
        return replace(
            call,
            args=tuple(map(placed, call.args)),
            filter=None if call.filter is None else placed(call.filter),
            order_by=tuple(replace(order, expression=map_references(order.expression, placed)) for order in call.order_by),
        )

    calls = tuple(call_of(position, call) for position, call in enumerate(node.aggregates))
    names = tuple(f"$f{position}" if not isinstance(one, FieldReferenceExpression) else one.name for position, one in enumerate(projected))
    child = ProjectQueryOperation(tuple(projected), names, below.child)
    return replace(node, grouping=tuple(map(placed, node.grouping)), aggregates=calls, child=child)


def _inputs(call: AggregateCall) -> Iterator[ResolvedExpression]:
    """Yields the columns that a call reads."""
    yield from call.args
    if call.filter is not None:
        yield call.filter
    yield from (order.expression for order in call.order_by)
