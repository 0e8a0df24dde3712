"""A decorrelated query: a plan without outer references, and the expressions over the outer row that were removed from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from table_api.operations import OuterReferenceExpression, QueryOperation, is_outer
from table_api.plan.calls import references_of
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, references
from table_common.frozen_dataclass import dataclass
from table_common.functions.builtin import comparison
from table_common.tree import nodes_of, transform_up


@dataclass(frozen=True, slots=True)
class Decorrelated:
    """For an outer row, the query returns the rows of ``plan`` for which all ``conditions`` are true, with the columns ``outputs``.

    ``plan`` has no references to the outer row. Outputs and conditions are over the columns of ``plan`` (as input 0) and the outer row.
    With ``is_total`` there is exactly one row per outer row: where no row of ``plan`` fulfills the conditions, outputs are those of NULLs.
    ``having`` are then conditions on that row.
    """

    plan: QueryOperation
    outputs: tuple[ResolvedExpression, ...]
    conditions: tuple[ResolvedExpression, ...] = ()
    is_total: bool = False
    having: tuple[ResolvedExpression, ...] = ()

    @classmethod
    def plain(cls, query: QueryOperation) -> Decorrelated:
        """Returns an uncorrelated query."""
        return cls(query, references_of(query))

    @property
    def is_plain(self) -> bool:
        """Whether the rows are those of ``plan`` for every outer row."""
        return not self.conditions and not self.is_total and not any(map(is_outer, self.outputs))

    @property
    def used(self) -> set[int]:
        """The positions of the arguments that are used."""
        return outer_positions((*self.outputs, *self.conditions, *self.having))


def outer_positions(expressions: Iterable[ResolvedExpression]) -> set[int]:
    """Returns the positions of the arguments that expressions use."""
    return {node.position for one in expressions for node in nodes_of(one, ResolvedExpression, OuterReferenceExpression)}


def substitute(
    expression: ResolvedExpression,
    column: Callable[[FieldReferenceExpression], ResolvedExpression],
    outer: Callable[[OuterReferenceExpression], ResolvedExpression] | None = None,
) -> ResolvedExpression:
    """Returns the expression with columns and outer references replaced; the replacements are not visited."""

    def change(node: ResolvedExpression) -> ResolvedExpression:
        if isinstance(node, FieldReferenceExpression):
            return column(node)
        if outer is not None and isinstance(node, OuterReferenceExpression):
            return outer(node)
        return node

    return transform_up(expression, ResolvedExpression, change)


def split_equality(condition: ResolvedExpression) -> tuple[ResolvedExpression, ResolvedExpression] | None:
    """Returns the two sides of ``column of the query = value of the outer row``; None if the condition is another."""
    if not isinstance(condition, CallExpression) or condition.function not in (comparison.EQUALS, comparison.IS_NOT_DISTINCT_FROM):
        return None
    sides: Sequence[ResolvedExpression] = condition.args
    for inner, outer in ((sides[0], sides[1]), (sides[1], sides[0])):
        if references([inner]) and not is_outer(inner) and not references([outer]):
            return inner, outer
    return None
