"""Removing duplicate rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_api.operations.query.state_ttl import StateTtl
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass

__all__ = ["DistinctQueryOperation"]


@dataclass(frozen=True, slots=True)
class DistinctQueryOperation(QueryOperation):
    """Keeps one of equal rows; NULLs are equal to each other. Schema: the child's."""

    child: QueryOperation
    state_ttl: StateTtl | None = None
    """How long an untouched row is kept in streaming mode; None: as ``table.exec.state.ttl`` says."""

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.state_ttl is not None:
            yield "stateTtlHints", f"[[STATE_TTL options:[{self.state_ttl}]]]"
