"""Joins of rows whose times are close to each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.query.join import JoinQueryOperation
from table_common.annotation import override
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.types import is_proctime


@dataclass(frozen=True, slots=True)
class IntervalJoinQueryOperation(JoinQueryOperation):
    """A join of rows for which the left time is at least ``lower`` and at most ``upper`` milliseconds after the right time; insert-only.

    ``times`` are the time attributes of the left and of the right input; ``condition`` is the condition without the bounds.
    """

    times: tuple[FieldReferenceExpression, ...] = field(default=(), kw_only=True)
    lower: int = field(default=0, kw_only=True)
    upper: int = field(default=0, kw_only=True)

    @property
    def is_processing_time(self) -> bool:
        """Whether the times are processing time."""
        return is_proctime(self.times[0].output_type)

    @property
    @override
    def summary_name(self) -> str:
        return "IntervalJoin"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "joinType", self.join_type.value
        left, right = (time.field_index for time in self.times)
        kind = str(not self.is_processing_time).lower()
        bounds = f"leftLowerBound={self.lower}, leftUpperBound={self.upper}"
        yield "windowBounds", f"isRowTime={kind}, {bounds}, leftTimeIndex={left}, rightTimeIndex={right}"
        yield "where", self._condition_text()
