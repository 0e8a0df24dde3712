"""Keeps a scan with several readers one scan: the push-down rules see a node between the scan and its readers.

Without it a filter or a projection of one reader, pushed into the source, would make a scan for this reader alone. The columns of all readers
are united below the node, and their filters stay above. Partitions are pruned before, so readers of different partitions have scans of their own.
"""

from __future__ import annotations

from table_api.operations import QueryOperation, SourceQueryOperation, TemporalJoinQueryOperation, WatermarkQueryOperation
from table_api.operations.operation import below
from table_api.plan.context import RuleContext
from table_api.plan.shared_scan import SharedScanQueryOperation
from table_common.configuration import OptimizerConfigOptions
from table_common.tree import nodes_of, preorder, reader_counts, transform_up


def share_scans(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Puts a ``SharedScanQueryOperation`` above each scan with several readers, except tables that are looked up."""
    configuration = context.session.configuration
    if not (
        configuration.get(OptimizerConfigOptions.TABLE_OPTIMIZER_REUSE_SUB_PLAN_ENABLED)
        and configuration.get(OptimizerConfigOptions.TABLE_OPTIMIZER_REUSE_SOURCE_ENABLED)
    ):
        return root
    nodes = preorder(root, QueryOperation)
    readers = reader_counts(nodes, QueryOperation)
    joins = nodes_of(root, QueryOperation, TemporalJoinQueryOperation)
    looked_up = {id(node) for join in joins for node in preorder(join.right, QueryOperation)}
    shared = {
        id(node): SharedScanQueryOperation(node) for node in nodes if readers[id(node)] > 1 and id(node) not in looked_up and _is_scan(node)
    }
    if not shared:
        return root
    return transform_up(root, QueryOperation, lambda node: shared.get(id(node), node))


def remove_shared_scans(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Removes the nodes that ``share_scans`` has added."""
    return transform_up(root, QueryOperation, lambda node: node.child, of=SharedScanQueryOperation)


def _is_scan(node: QueryOperation) -> bool:
    """Whether a node is a scan, or the watermark above one; both give the rows of a table."""
    return isinstance(below(node, WatermarkQueryOperation), SourceQueryOperation)
