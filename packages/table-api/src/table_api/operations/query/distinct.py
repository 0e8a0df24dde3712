"""Removing duplicate rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_api.operations.query.state_ttl import StateTtl
from table_api.operations.query.time_attributes import without_time_attributes
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DistinctQueryOperation(QueryOperation):
    """Keeps one of equal rows; NULLs are equal to each other. Schema: the child's."""

    child: QueryOperation
    state_ttl: StateTtl | None = None
    """How long an untouched row is kept in streaming mode; None: as ``table.exec.state.ttl`` says."""

    keeps_times: bool = True
    """Whether time attributes still are time attributes after the node; the rule ``infer_time_attributes`` says so."""

    @property
    @override
    def removes_duplicates_only(self) -> bool:
        return True

    @override
    def _make_schema(self) -> ResolvedSchema:
        return self.child.resolved_schema if self.keeps_times else without_time_attributes(self.child.resolved_schema)

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.state_ttl is not None:
            yield "stateTtlHints", f"[[STATE_TTL options:[{self.state_ttl}]]]"
