"""Sorting rows when all of them are known."""

from __future__ import annotations

from table_api.operations.query.sort import SortQueryOperation
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SortAtEndQueryOperation(SortQueryOperation):
    """A sort without limit over inputs that end: the rows that are there then are emitted in order.

    Source: Flink's ``org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSort``.
    """

    @property
    @override
    def summary_name(self) -> str:
        return "SortAtEnd"
