"""Pushes ORDER BY with a limit into sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from table_api.operations import ProjectQueryOperation, PushedAbility, QueryOperation, SortOrder, SortQueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.push_limit_into_scan import has_only_insertions
from table_common.annotation import override
from table_common.connector.source.abilities import SupportsOrderedLimitPushDown
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.tree import by_class, transform_up

_FieldOrder = SupportsOrderedLimitPushDown.FieldOrder


@dataclass(frozen=True, slots=True)
class PushedOrderedLimit(PushedAbility):
    """The order, and how many of its first rows are enough."""

    orders: tuple[str, ...]
    rows: int
    place: ClassVar[int] = 51
    chooses_rows: ClassVar[bool] = True
    reduces_rows: ClassVar[bool] = True

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "orderBy", list(self.orders)
        yield "limit", self.rows


def push_ordered_limit_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Pushes ORDER BY with a limit into a source if only projections stand between them, and the order is by columns of the source."""

    def change(node: SortQueryOperation) -> QueryOperation:
        if not node.orders or node.fetch is None:
            return node
        child = _limited(node.child, node.orders, node.fetch + node.offset)
        return replace(node, child=child) if child is not node.child else node

    return transform_up(root, QueryOperation, change, of=SortQueryOperation)


def _limited(node: QueryOperation, orders: tuple[SortOrder, ...], limit: int) -> QueryOperation:
    positions = [order.expression.field_index for order in orders if isinstance(order.expression, FieldReferenceExpression)]
    return node if len(positions) < len(orders) else _limited_by_columns(node, orders, positions, limit)


@by_class
def _limited_by_columns(node: QueryOperation, orders: tuple[SortOrder, ...], positions: Sequence[int], limit: int) -> QueryOperation:
    """Returns a node over a scan to which a limit in an order of columns is pushed, ``positions`` are those of the columns."""
    return node


@_limited_by_columns.register(ProjectQueryOperation)
def _limited_below(node: ProjectQueryOperation, orders: tuple[SortOrder, ...], positions: Sequence[int], limit: int) -> QueryOperation:
    below = tuple(replace(order, expression=node.expressions[position]) for order, position in zip(orders, positions, strict=True))
    child = _limited(node.child, below, limit)
    return replace(node, child=child) if child is not node.child else node


@_limited_by_columns.register(SourceQueryOperation)
def _limited_scan(node: SourceQueryOperation, orders: tuple[SortOrder, ...], positions: Sequence[int], limit: int) -> QueryOperation:
    if node.source is None or node.pushed.reduces_rows or node.change_column is not None:
        return node
    if isinstance(node.source, SupportsOrderedLimitPushDown) and has_only_insertions(node.source):
        source = node.source.copy()
        keys = [_FieldOrder(position, order.ascending, order.nulls_first) for position, order in zip(positions, orders, strict=True)]
        if source.apply_ordered_limit(keys, limit):
            return node.with_pushed(source, PushedOrderedLimit(tuple(map(str, orders)), limit))
    return node
