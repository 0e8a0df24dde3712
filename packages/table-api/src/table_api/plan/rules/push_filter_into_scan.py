"""Pushes filters into sources: offers the conjuncts above a scan to the source, which accepts those that it can apply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from table_api.operations import FilterQueryOperation, PushedAbility, QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.scan_below import scan_below
from table_common.annotation import override
from table_common.configuration import OptimizerConfigOptions
from table_common.connector.source.abilities import SupportsFilterPushDown
from table_common.exceptions import TableException
from table_common.expressions import ResolvedExpression, conjunction, conjuncts, is_deterministic, references
from table_common.frozen_dataclass import dataclass
from table_common.tree import transform_up


@dataclass(frozen=True, slots=True)
class PushedFilters(PushedAbility):
    """The conjuncts that the source has accepted; their references point into the physical columns."""

    conditions: tuple[ResolvedExpression, ...]
    place: ClassVar[int] = 40
    chooses_rows: ClassVar[bool] = True

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "filters", [str(condition) for condition in self.conditions]


def push_filter_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Offers the conjuncts above a scan to its source; the remaining conjuncts stay in a filter."""
    if not context.session.configuration.get(OptimizerConfigOptions.TABLE_OPTIMIZER_SOURCE_PREDICATE_PUSHDOWN_ENABLED):
        return root

    def change(node: FilterQueryOperation) -> QueryOperation:
        below = scan_below(node.child)
        if below is None:
            return node
        scan = below.scan
        if scan.source is None or not _takes_conditions(scan):
            return node
        if not isinstance(scan.source, SupportsFilterPushDown):
            return node
        parts = conjuncts(node.condition)
        width = len(scan.physical_schema.columns)  # metadata columns follow the physical columns
        moved = {part: below.over_scan(part) for part in parts}
        offered = [
            part
            for part in moved.values()
            if part is not None and is_deterministic([part]) and all(i < width for _, i in references([part]))
        ]
        source = scan.source.copy()
        result = source.apply_filters(offered)
        known = {*result.accepted_filters, *result.remaining_filters}
        if known != set(offered):
            raise TableException(
                f"The connector of {scan.table.identifier} returned from {type(source).__name__}.apply_filters other filters than it was offered: "
                "each is accepted, or remains, or both.",
                hint="the compliance suite (table_testing.SourceCompliance) finds such errors; "
                f"{OptimizerConfigOptions.TABLE_OPTIMIZER_SOURCE_PREDICATE_PUSHDOWN_ENABLED.key} = false works around them",
            )
        if not result.accepted_filters:
            return node
        pushed = scan.with_pushed(source, PushedFilters(tuple(result.accepted_filters)))
        remaining = [part for part in parts if moved[part] in result.remaining_filters or moved[part] not in known]
        rows = below.with_scan(pushed)
        return FilterQueryOperation(conjunction(remaining), rows) if remaining else rows

    return transform_up(root, QueryOperation, change, of=FilterQueryOperation)


def _takes_conditions(scan: SourceQueryOperation) -> bool:
    """Returns whether filters can still be pushed into the scan: it produces all columns and single rows, and has no pushed filters yet."""
    return not scan.pushed.has(PushedFilters) and not scan.pushed.changes_columns and not scan.pushed.reduces_rows
