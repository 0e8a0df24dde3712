"""Deduplication by event time of rows that change."""

from __future__ import annotations

from table_api.operations import QueryOperation
from table_api.operations.changelog import INSERTS, DeduplicateQueryOperation, ModifyKindSet, RankQueryOperation
from table_api.operations.query import SortOrder
from table_api.plan.context import RuleContext
from table_api.plan.facts.record import kinds_of_changes
from table_common.functions.builtin import windows
from table_common.tree import children_of, nodes_of, transform_up


def rank_changes(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces deduplications by event time whose input updates or deletes rows by ranks, which read retractions and do not wait for the watermark.

    Raises:
        ValidationException: a node below a deduplication cannot read the changes of its input.
    """
    if not any(node.rowtime is not None for node in nodes_of(root, QueryOperation, DeduplicateQueryOperation)):
        return root
    known: dict[int, tuple[QueryOperation, ModifyKindSet]] = {}

    def change(node: QueryOperation) -> QueryOperation:
        inputs = [known[id(child)][1] for child in children_of(node, QueryOperation)]
        if isinstance(node, DeduplicateQueryOperation) and node.rowtime is not None and inputs[0] - INSERTS:
            order = SortOrder(node.rowtime, not node.keep_last, not node.keep_last)
            node = RankQueryOperation(windows.ROW_NUMBER, node.keys, (order,), 1, 1, None, node.child)
        # Nodes without changes run on all rows in batch mode; their plan is refused or chosen elsewhere.
        known[id(node)] = node, kinds_of_changes(node, inputs)
        return node

    return transform_up(root, QueryOperation, change)
