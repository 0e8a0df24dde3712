"""``GroupedTable`` and ``AggregatedTable``: what ``group_by`` and ``aggregate`` give, until ``select`` says what is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from table_api.expressions import Expression
from table_api.expressions.unresolved import UnresolvedExpression

__all__ = ["AggregatedTable", "FlatAggregateTable", "GroupedTable"]

_T = TypeVar("_T")


class GroupedTable(Generic[_T]):
    """The groups of a table; ``select`` makes one row of each."""

    def __init__(
        self,
        group_by: Sequence[UnresolvedExpression],
        aggregate: Callable[[Sequence[UnresolvedExpression], tuple[Expression, ...]], _T],
        call: Callable[[Sequence[UnresolvedExpression], object, bool], Callable[[tuple[Expression, ...]], _T]],
    ) -> None:
        """``aggregate`` makes the table of the grouping and of what is selected, ``call`` that of a user aggregate (true: of rows)."""
        self._group_by = tuple(group_by)
        self._aggregate = aggregate
        self._call = call

    def select(self, *fields: Expression) -> _T:
        """Returns one row per group: grouping expressions, aggregates, and what is computed from them."""
        return self._aggregate(self._group_by, fields)

    def aggregate(self, func: object) -> AggregatedTable[_T]:
        """Returns the groups with the result of a user aggregate: its call, perhaps with names (``alias``), or the function itself."""
        return AggregatedTable(self._call(self._group_by, func, False))

    def flat_aggregate(self, func: object) -> FlatAggregateTable[_T]:
        """Returns the groups with the rows of a user table aggregate: its call, perhaps with names (``alias``), or the function itself."""
        return FlatAggregateTable(self._call(self._group_by, func, True))


class AggregatedTable(Generic[_T]):
    """The grouping columns and what a user aggregate gave; ``select`` computes with them."""

    def __init__(self, select: Callable[[tuple[Expression, ...]], _T]) -> None:
        self._select = select

    def select(self, *fields: Expression) -> _T:
        """Returns the columns computed."""
        return self._select(fields)


class FlatAggregateTable(AggregatedTable[_T]):
    """The grouping columns beside the rows of a user table aggregate."""
