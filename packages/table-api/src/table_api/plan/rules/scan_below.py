"""Finds the scan below a filter, through the watermark of its table."""

from __future__ import annotations

from table_api.operations import ProjectQueryOperation, QueryOperation, SourceQueryOperation, WatermarkQueryOperation
from table_api.plan.rules.push_filter_down import MOST_NODES
from table_common.expressions import ResolvedExpression, is_deterministic, map_references, references, written_size
from table_common.frozen_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class ScanBelow:
    """A scan, the watermark above it if its table has one, and the computed columns between them that the watermark uses."""

    scan: SourceQueryOperation
    watermark: WatermarkQueryOperation | None = None
    project: ProjectQueryOperation | None = None

    def over_scan(self, condition: ResolvedExpression) -> ResolvedExpression | None:
        """Returns a condition on the rows as an equivalent condition on the scan; None if there is none."""
        if self.project is None:
            return condition
        projection = self.project.projection
        if not is_deterministic([projection[position] for _, position in references([condition])]):
            return None
        moved = map_references(condition, lambda reference: projection[reference.field_index])
        return moved if written_size(moved) <= max(MOST_NODES, written_size(condition)) else None

    def with_scan(self, scan: QueryOperation) -> QueryOperation:
        """Returns the nodes with the scan replaced."""
        rows = scan if self.project is None else replace(self.project, child=scan)
        return rows if self.watermark is None else replace(self.watermark, child=rows)


def scan_below(rows: QueryOperation) -> ScanBelow | None:
    """Returns the scan below a node; None if anything but the scan's watermark stands between them."""
    if isinstance(rows, SourceQueryOperation):
        return ScanBelow(rows)
    if not isinstance(rows, WatermarkQueryOperation):
        return None
    project = rows.child if isinstance(rows.child, ProjectQueryOperation) else None
    scan = project.child if project is not None else rows.child
    return ScanBelow(scan, rows, project) if isinstance(scan, SourceQueryOperation) else None
