"""Plans processing-time temporal joins with tables that are scanned: queries, and tables whose connector does not support lookups."""

from __future__ import annotations

from table_api.operations import (
    FilterQueryOperation,
    LookupHint,
    ProjectQueryOperation,
    QueryOperation,
    SourceQueryOperation,
    TemporalJoinQueryOperation,
    WatermarkQueryOperation,
)
from table_api.operations.changelog import CurrentRowsJoinQueryOperation
from table_api.operations.operation import below
from table_api.plan.context import RuleContext
from table_common.connector import LookupTableSource
from table_common.exceptions import ValidationException
from table_common.tree import transform_up


def plan_current_rows_joins(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces each temporal join whose right side is not looked up by a join with its current rows.

    Raises:
        ValidationException: such a join has a LOOKUP hint.
    """
    # Differs from Flink: FOR SYSTEM_TIME AS OF a processing time also joins tables without lookups and queries. Flink refuses them.

    def change(node: QueryOperation) -> QueryOperation:
        if type(node) is not TemporalJoinQueryOperation or _is_looked_up(node.right):
            return node
        if node.hint != LookupHint():
            raise ValidationException(
                "The hint LOOKUP is for tables whose connector supports lookups, but the right side of the join is scanned.",
                hint="remove the hint",
            )
        return CurrentRowsJoinQueryOperation(node.left, node.right, node.join_type, node.condition)

    return transform_up(root, QueryOperation, change)


def _is_looked_up(right: QueryOperation) -> bool:
    scan = below(right, FilterQueryOperation, ProjectQueryOperation, WatermarkQueryOperation)
    return isinstance(scan, SourceQueryOperation) and isinstance(scan.source, LookupTableSource)
