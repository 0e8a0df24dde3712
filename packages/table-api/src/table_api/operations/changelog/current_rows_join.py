"""Joins with the rows of a scanned table as they are when the left row comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.query.temporal_join import TemporalJoinQueryOperation
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CurrentRowsJoinQueryOperation(TemporalJoinQueryOperation):
    """``left JOIN right FOR SYSTEM_TIME AS OF left.proc_time`` over a right side that is scanned, not looked up.

    Changes of the right side do not change earlier results: the rows are those of the left side, with their kinds. A bounded right side is
    read to its end first.
    """

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield from TemporalJoinQueryOperation.summary_details(self)
        yield "right", "current rows, read first"
