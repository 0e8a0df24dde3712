"""``GroupedTable``: what ``group_by`` gives, until ``select`` says what to compute for each group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from table_api.expressions import Expression
from table_api.expressions.unresolved import UnresolvedExpression

__all__ = ["GroupedTable"]

_T = TypeVar("_T")


class GroupedTable(Generic[_T]):
    """The groups of a table; ``select`` makes one row of each."""

    def __init__(
        self,
        group_by: Sequence[UnresolvedExpression],
        aggregate: Callable[[Sequence[UnresolvedExpression], tuple[Expression, ...]], _T],
    ) -> None:
        """``aggregate`` makes the table of the grouping and of what is selected; it is the table that knows how."""
        self._group_by = tuple(group_by)
        self._aggregate = aggregate

    def select(self, *fields: Expression) -> _T:
        """Returns one row per group: grouping expressions, aggregates, and what is computed from them."""
        return self._aggregate(self._group_by, fields)
