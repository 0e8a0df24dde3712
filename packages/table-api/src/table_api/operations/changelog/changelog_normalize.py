"""The node that completes the changes of an upsert source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ChangelogNormalizeQueryOperation(QueryOperation):
    """Stores the last row of each key, to emit UPDATE_BEFORE rows and all columns of deletions, and to drop duplicates. Schema: the child's.

    Changelog inference removes the node if no consumer requires complete changes, unless the source ``may_repeat`` changes.

    Source: Flink's ``org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalChangelogNormalize``.
    """

    key: tuple[FieldReferenceExpression, ...]
    child: QueryOperation
    may_repeat: bool = False

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "key", [str(reference) for reference in self.key]
