"""Pushes limits into sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from table_api.operations import (
    ProjectQueryOperation,
    PushedAbility,
    QueryOperation,
    SortQueryOperation,
    SourceQueryOperation,
    WatermarkQueryOperation,
)
from table_api.plan.context import RuleContext
from table_common.annotation import override
from table_common.connector.source.abilities import SupportsLimitPushDown
from table_common.frozen_dataclass import dataclass, replace
from table_common.tree import transform_up

__all__ = ["PushedLimit", "push_limit_into_scan"]


@dataclass(frozen=True, slots=True)
class PushedLimit(PushedAbility):
    """The number of rows that are enough."""

    rows: int
    place: ClassVar[int] = 50
    reduces_rows: ClassVar[bool] = True

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "limit", self.rows


def push_limit_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Pushes a limit into a source if only projections stand between them."""

    def change(node: QueryOperation) -> QueryOperation:
        if not isinstance(node, SortQueryOperation) or node.orders or node.fetch is None:
            return node
        child = _limited(node.child, node.fetch + node.offset)
        return replace(node, child=child) if child is not node.child else node

    return transform_up(root, QueryOperation, change)


def _limited(node: QueryOperation, limit: int) -> QueryOperation:
    if isinstance(node, ProjectQueryOperation | WatermarkQueryOperation):
        child = _limited(node.child, limit)
        return replace(node, child=child) if child is not node.child else node
    if not isinstance(node, SourceQueryOperation) or node.source is None or node.pushed.has(PushedLimit):
        return node
    if isinstance(node.source, SupportsLimitPushDown):
        source = node.source.copy()
        source.apply_limit(limit)
        return node.with_pushed(source, PushedLimit(limit))
    return node
