"""``GroupedTable`` and ``AggregatedTable``: the results of ``group_by`` and ``aggregate``, whose ``select`` returns a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from table_api.expressions import Expression
from table_api.expressions.unresolved import UnresolvedExpression

_T = TypeVar("_T")


class GroupedTable(Generic[_T]):
    """The groups of a table; ``select`` returns one row per group.

    Example:
        >>> orders = env.from_elements([("tea", 2), ("tea", 3), ("milk", None)], ["item", "n"])
        >>> totals = orders.group_by(col("item")).select(col("item"), col("n").sum.alias("total"))
        >>> sorted(map(tuple, totals.execute().collect()))
        [('milk', None), ('tea', 5)]

    Source: PyFlink's ``pyflink.table.GroupedTable``.
    """

    def __init__(
        self,
        group_by: Sequence[UnresolvedExpression],
        aggregate: Callable[[Sequence[UnresolvedExpression], tuple[Expression, ...]], _T],
        call: Callable[[Sequence[UnresolvedExpression], object, bool], Callable[[tuple[Expression, ...]], _T]],
    ) -> None:
        """Internal; use ``Table.group_by``.

        ``aggregate`` builds the table for grouping and selected expressions; ``call`` does so for a user aggregate, or for a table
        aggregate if its last argument is true.
        """
        self._group_by = tuple(group_by)
        self._aggregate = aggregate
        self._call = call

    def select(self, *fields: Expression) -> _T:
        """Returns one row per group, of grouping expressions, aggregates, and expressions over them.

        Raises:
            ValidationException: an expression uses a column that is neither grouped nor aggregated.
        """
        return self._aggregate(self._group_by, fields)

    def aggregate(self, func: object) -> AggregatedTable[_T]:
        """Returns the groups with the result of a user aggregate.

        ``func`` is a call, optionally with column names (``alias``), or the function itself, which is then called with the whole row.
        """
        return AggregatedTable(self._call(self._group_by, func, False))

    def flat_aggregate(self, func: object) -> FlatAggregateTable[_T]:
        """Returns the groups with the rows that a user table aggregate emits; ``func`` is as in ``aggregate``."""
        return FlatAggregateTable(self._call(self._group_by, func, True))


class AggregatedTable(Generic[_T]):
    """The grouping columns and the result columns of a user aggregate; ``select`` projects them."""

    def __init__(self, select: Callable[[tuple[Expression, ...]], _T]) -> None:
        self._select = select

    def select(self, *fields: Expression) -> _T:
        """Returns one column per expression over the grouping and result columns."""
        return self._select(fields)


class FlatAggregateTable(AggregatedTable[_T]):
    """The grouping columns and the rows that a user table aggregate emits."""
