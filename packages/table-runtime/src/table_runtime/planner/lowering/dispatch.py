"""Dispatches plan nodes to their lowering functions; each module of this package registers its own."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import FromChangelogQueryOperation, ToChangelogQueryOperation, VersionedJoinQueryOperation
from table_common.tree import TypeDispatch
from table_runtime.planner.context import LoweringContext
from table_runtime.run.operator import Operator

_NEEDS_CHANGES = "runs on changelogs, in streaming mode"
UNSUPPORTED: dict[type, str] = {
    ToChangelogQueryOperation: f"TO_CHANGELOG {_NEEDS_CHANGES}",
    FromChangelogQueryOperation: f"FROM_CHANGELOG {_NEEDS_CHANGES}",
    VersionedJoinQueryOperation: f"A join FOR SYSTEM_TIME AS OF an event time {_NEEDS_CHANGES}",
}
"""Query operations that the embedded engine does not support, with the reason."""

lower: TypeDispatch[[Sequence[Operator], LoweringContext], Operator] = TypeDispatch(
    "The embedded engine", UNSUPPORTED, package="table_runtime.planner.lowering"
)
