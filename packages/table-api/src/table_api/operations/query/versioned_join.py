"""Joins with the version of a table that was valid at the event time of each row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_api.operations.query.join import JoinQueryOperation, JoinType
from table_api.operations.query.time_attributes import without_time_attributes
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class VersionedJoinQueryOperation(QueryOperation):
    """``left JOIN right FOR SYSTEM_TIME AS OF left.rowtime``; ``join_type`` is INNER or LEFT_OUTER.

    Each left row is joined with the right row of its key with the greatest right time up to the left time, unless that version was deleted. The
    right input has a unique key, and ``condition`` has equalities for all of its columns. In the condition and in ``times``, the time attributes of both
    inputs, references have ``input_index`` 0 for the left and 1 for the right input. The schema is that of a join.

    It is not a subclass of the join: conditions on right rows must not move below it, because they would remove versions.
    """

    left: QueryOperation
    right: QueryOperation
    join_type: JoinType
    condition: ResolvedExpression | None
    times: tuple[FieldReferenceExpression, ...]
    keeps_right_times: bool = True
    """Whether right columns may be time attributes; the rule ``infer_time_attributes`` says so."""

    @override
    def _make_schema(self) -> ResolvedSchema:
        columns = JoinQueryOperation(self.left, self.right, self.join_type, None).resolved_schema.columns
        if self.keeps_right_times:
            return ResolvedSchema(columns)
        width = len(self.left.resolved_schema.columns)
        return ResolvedSchema((*columns[:width], *without_time_attributes(ResolvedSchema(columns[width:])).columns))

    @property
    @override
    def summary_name(self) -> str:
        return "TemporalJoin"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield from JoinQueryOperation(self.left, self.right, self.join_type, self.condition).summary_details()
        left, right = self.times
        yield "leftTime", left.name
        yield "rightTime", right.name
