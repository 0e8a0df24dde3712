"""Gives the sources what they can do themselves: filters, columns, a limit. Every change is made to a copy of the source."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    FilterQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SortQueryOperation,
    SourceQueryOperation,
)
from table_api.plan.context import RuleContext
from table_api.plan.rules.push_watermark_into_scan import columns_for_watermark
from table_common.configuration import OptimizerConfigOptions
from table_common.connector.source.abilities import (
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsProjectionPushDown,
    SupportsReadingMetadata,
)
from table_common.exceptions import TableException
from table_common.expressions import FieldReferenceExpression, conjunction, conjuncts, is_deterministic, references, remap
from table_common.frozen_dataclass import replace
from table_common.tree import transform_up
from table_common.types import RowType

__all__ = ["push_filter_into_scan", "push_limit_into_scan", "push_projection_into_scan"]


def push_filter_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Offers the conjuncts above a scan to its source; what the source leaves stays a filter."""
    if not context.session.configuration.get(OptimizerConfigOptions.TABLE_OPTIMIZER_SOURCE_PREDICATE_PUSHDOWN_ENABLED):
        return root

    def change(node: QueryOperation) -> QueryOperation:
        if not isinstance(node, FilterQueryOperation) or not isinstance(node.child, SourceQueryOperation):
            return node
        scan = node.child
        if scan.source is None or scan.filters or scan.projection is not None:
            return node
        if not isinstance(scan.source, SupportsFilterPushDown):
            return node
        parts = conjuncts(node.condition)
        width = len(scan.physical_schema.columns)  # metadata columns stand behind
        offered = [part for part in parts if is_deterministic([part]) and all(i < width for _, i in references([part]))]
        source = scan.source.copy()
        result = source.apply_filters(offered)
        known = {*result.accepted_filters, *result.remaining_filters}
        if known != set(offered):
            raise TableException(
                f"The connector of {scan.table.identifier} returned from {type(source).__name__}.apply_filters other filters than it was offered: "
                "each is accepted, or remains, or both.",
                hint="the compliance suite (table_common.testing.SourceCompliance) finds such errors; "
                f"{OptimizerConfigOptions.TABLE_OPTIMIZER_SOURCE_PREDICATE_PUSHDOWN_ENABLED.key} = false works around them",
            )
        if not result.accepted_filters:
            return node
        pushed = replace(scan, source=source, filters=tuple(result.accepted_filters))
        remaining = [part for part in parts if part in result.remaining_filters or part not in known]
        return FilterQueryOperation(conjunction(remaining), pushed) if remaining else pushed

    return transform_up(root, QueryOperation, change)


def push_projection_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Tells a source which of its columns the projection above it, or above a filter on it, uses."""

    def change(node: QueryOperation) -> QueryOperation:
        if not isinstance(node, ProjectQueryOperation):
            return node
        between = node.child if isinstance(node.child, FilterQueryOperation) else None
        scan = between.child if between is not None else node.child
        if not isinstance(scan, SourceQueryOperation) or scan.source is None or scan.projection is not None:
            return node
        expressions = [*node.projection, *([between.condition] if between is not None else [])]
        positions = {position for _, position in references(expressions)}
        pushed = _reading_only(scan, sorted(positions | columns_for_watermark(scan, context)))
        if pushed is None:
            return node
        assert pushed.projection is not None
        used = list(pushed.projection)
        moved = {old: new for new, old in enumerate(used)}
        child: QueryOperation = pushed
        if between is not None:
            child = FilterQueryOperation(remap(between.condition, moved), pushed)
        return _without_trivial(ProjectQueryOperation(tuple(remap(e, moved) for e in node.projection), node.names, child))

    return transform_up(root, QueryOperation, change)


def _reading_only(scan: SourceQueryOperation, used: Sequence[int]) -> SourceQueryOperation | None:
    """Returns the scan of at least these columns, or None if its source reads all of them anyway."""
    assert scan.source is not None
    width = len(scan.physical_schema.columns)
    readable = scan.readable_schema.columns
    physical = [position for position in used if position < width]
    behind = width + len(scan.metadata_columns)
    metadata = [position for position in used if width <= position < behind]
    # What a row changes is always read.
    change = [behind] if scan.change_column is not None else []
    if not isinstance(scan.source, SupportsProjectionPushDown):
        physical = list(range(width))
    elif not physical and not metadata:
        physical = [0]  # where nothing is used the rows still count: read the first column
    kept = [*physical, *metadata, *change]
    if len(kept) == len(readable):
        return None
    source = scan.source.copy()
    types = [(readable[i].name, readable[i].data_type) for i in (*physical, *metadata)]
    if isinstance(source, SupportsProjectionPushDown) and len(physical) < width:
        source.apply_projection([(i,) for i in physical], RowType.of(types[: len(physical)], nullable=False))
    if isinstance(source, SupportsReadingMetadata) and scan.metadata_columns:
        keys = [scan.metadata_columns[i - width].key for i in metadata]
        source.apply_readable_metadata(keys, RowType.of(types, nullable=False))
    return replace(scan, source=source, projection=tuple(kept))


def _without_trivial(node: ProjectQueryOperation) -> QueryOperation:
    schema = node.child.resolved_schema
    trivial = node.names == schema.column_names and all(
        isinstance(e, FieldReferenceExpression) and e.field_index == i for i, e in enumerate(node.projection)
    )
    return node.child if trivial else node


def push_limit_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Tells a source how many rows are enough, where nothing but projections stands between it and the limit."""

    def change(node: QueryOperation) -> QueryOperation:
        if not isinstance(node, SortQueryOperation) or node.orders or node.fetch is None:
            return node
        child = _limited(node.child, node.fetch + node.offset)
        return replace(node, child=child) if child is not node.child else node

    return transform_up(root, QueryOperation, change)


def _limited(node: QueryOperation, limit: int) -> QueryOperation:
    if isinstance(node, ProjectQueryOperation):
        child = _limited(node.child, limit)
        return replace(node, child=child) if child is not node.child else node
    if not isinstance(node, SourceQueryOperation) or node.source is None or node.limit is not None:
        return node
    if isinstance(node.source, SupportsLimitPushDown):
        source = node.source.copy()
        source.apply_limit(limit)
        return replace(node, source=source, limit=limit)
    return node
