"""Processing-time temporal joins as written, before lookup join planning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.query.join import JoinQueryOperation
from table_api.operations.query.lookup_join import LookupHint
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class TemporalJoinQueryOperation(JoinQueryOperation):
    """``left JOIN right FOR SYSTEM_TIME AS OF left.proc_time``; ``join_type`` is INNER or LEFT_OUTER.

    No engine sees this node: the rule ``plan_lookup_joins`` replaces it by a ``LookupJoinQueryOperation`` after filters and projections
    have been pushed into the right side.
    """

    hint: LookupHint = field(default=LookupHint())

    @property
    @override
    def summary_name(self) -> str:
        return "TemporalJoin"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield from JoinQueryOperation.summary_details(self)
        yield from self.hint.summary_details()
