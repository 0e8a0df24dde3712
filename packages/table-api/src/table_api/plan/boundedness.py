"""Whether the sources of a plan end."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import ModifyOperation, QueryOperation, SourceQueryOperation
from table_common.connector import ScanTableSource
from table_common.tree import preorder


def is_unbounded(operations: Sequence[ModifyOperation], time_zone: str) -> bool:
    """Whether a source of one of the operations is unbounded in streaming mode."""
    return any(
        not node.source.get_scan_runtime_provider(ScanTableSource.ScanContext(False, time_zone)).is_bounded
        for operation in operations
        for node in preorder(operation.child, QueryOperation)
        if isinstance(node, SourceQueryOperation) and isinstance(node.source, ScanTableSource)
    )
