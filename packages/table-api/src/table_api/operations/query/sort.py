"""Ordering, skipping and limiting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.tree import Part


@final
@dataclass(frozen=True, slots=True)
class SortOrder(Part):
    """One sort key; by default ascending with NULL lowest (first ascending, last descending)."""

    expression: ResolvedExpression
    ascending: bool
    nulls_first: bool

    def __str__(self) -> str:
        text = f"{self.expression} {'ASC' if self.ascending else 'DESC'}"
        if self.nulls_first != self.ascending:
            text += f" NULLS {'FIRST' if self.nulls_first else 'LAST'}"
        return text


@dataclass(frozen=True, slots=True)
class SortQueryOperation(QueryOperation):
    """Orders rows, then skips ``offset`` of them and keeps ``fetch`` (None: all). No orders: only skip and keep. Schema: the child's.

    Orders are columns of the child.
    """

    orders: tuple[SortOrder, ...]
    child: QueryOperation
    offset: int = 0
    fetch: int | None = None

    @property
    @override
    def summary_name(self) -> str:
        return "Sort" if self.orders else "Limit"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.orders:
            yield "orderBy", [str(order) for order in self.orders]
        if self.offset:
            yield "offset", self.offset
        if self.fetch is not None:
            yield "fetch", self.fetch
