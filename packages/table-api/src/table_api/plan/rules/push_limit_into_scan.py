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
from table_api.operations.changelog import RankQueryOperation
from table_api.plan.context import RuleContext
from table_common.annotation import override
from table_common.connector import DynamicTableSource, RowKind, ScanTableSource
from table_common.connector.source.abilities import SupportsLimitPushDown
from table_common.frozen_dataclass import dataclass, replace
from table_common.tree import by_class, map_children_of, transform_up


@dataclass(frozen=True, slots=True)
class PushedLimit(PushedAbility):
    """The number of rows that are enough."""

    rows: int
    place: ClassVar[int] = 50
    chooses_rows: ClassVar[bool] = True
    reduces_rows: ClassVar[bool] = True

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "limit", self.rows


def push_limit_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Pushes a limit into a source if only projections stand between them."""

    def change(node: QueryOperation) -> QueryOperation:
        rows = _rows_read(node)
        if rows is None:
            return node
        (old,) = node.children
        child = _limited(old, rows)
        return map_children_of(node, QueryOperation, lambda _: child)

    return transform_up(root, QueryOperation, change)


@by_class
def _rows_read(node: QueryOperation) -> int | None:
    """Returns how many rows of its input a LIMIT reads; None for other nodes."""
    return None


@_rows_read.register(SortQueryOperation)
def _rows_of_limit(node: SortQueryOperation) -> int | None:
    return None if node.orders or node.fetch is None else node.fetch + node.offset


@_rows_read.register(RankQueryOperation)
def _rows_of_rank(node: RankQueryOperation) -> int | None:
    return None if node.partition_by or node.order_by else node.end


@by_class
def _limited(node: QueryOperation, limit: int) -> QueryOperation:
    """Returns a node over a scan to which a limit is pushed, if no node between them changes the number of rows."""
    return node


@_limited.register(ProjectQueryOperation, WatermarkQueryOperation)
def _limited_below(node: ProjectQueryOperation | WatermarkQueryOperation, limit: int) -> QueryOperation:
    child = _limited(node.child, limit)
    return replace(node, child=child) if child is not node.child else node


@_limited.register(SourceQueryOperation)
def _limited_scan(node: SourceQueryOperation, limit: int) -> QueryOperation:
    if node.source is None or node.pushed.has(PushedLimit):
        return node
    if isinstance(node.source, SupportsLimitPushDown) and has_only_insertions(node.source):
        source = node.source.copy()
        source.apply_limit(limit)
        return node.with_pushed(source, PushedLimit(limit))
    return node


def has_only_insertions(source: DynamicTableSource) -> bool:
    """Returns whether no row of a source changes another one, so that a limit may count its rows."""
    return not isinstance(source, ScanTableSource) or source.get_changelog_mode().contains_only(RowKind.INSERT)
