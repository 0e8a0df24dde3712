"""The top-n node: a condition on ROW_NUMBER, RANK or DENSE_RANK, ORDER BY … LIMIT, or LIMIT."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from table_api.operations.operation import QueryOperation
from table_api.operations.query.sort import SortOrder
from table_common.annotation import override
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_common.types import BigIntType


class RankStrategy(Enum):
    """The state strategy of a top-n; the changes of its input determine it.

    Source: Flink's ``org.apache.flink.table.planner.plan.utils.RankProcessStrategy``.
    """

    APPEND_FAST = "AppendFastStrategy"
    """The input is insert-only: rows beyond the limit are dropped."""
    UPDATE_FAST = "UpdateFastStrategy"
    """Updates (by upsert key) only improve the rank of a row, and there are no deletions: rows beyond the limit are dropped."""
    RETRACT = "RetractStrategy"
    """The input may have any changes: all rows are stored."""


@dataclass(frozen=True, slots=True)
class RankQueryOperation(QueryOperation):
    """Keeps the rows whose rank in their partition is from ``start`` (1 is the first) to ``end`` (None: no bound), both included.

    The schema is the child's, followed by the rank (BIGINT NOT NULL) if ``rank_name`` is given. Without orders, rows rank in order of arrival.
    Changelog inference chooses ``strategy``; UPDATE_FAST identifies rows by the columns ``upsert_key``.
    """

    function: FunctionDefinition
    partition_by: tuple[FieldReferenceExpression, ...]
    order_by: tuple[SortOrder, ...]
    start: int
    end: int | None
    rank_name: str | None
    child: QueryOperation
    strategy: RankStrategy | None = None
    upsert_key: tuple[int, ...] = ()

    @override
    def _make_schema(self) -> ResolvedSchema:
        columns = self.child.resolved_schema.columns
        if self.rank_name is None:
            return ResolvedSchema(columns)
        return ResolvedSchema((*columns, PhysicalColumn(self.rank_name, BigIntType(nullable=False))))

    @property
    @override
    def summary_name(self) -> str:
        if self.rank_name is None and not self.partition_by:
            return "SortLimit" if self.order_by else "Limit"
        return "Rank"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.strategy is not None:
            yield "strategy", self.strategy.value
        yield "rankType", self.function.name
        yield "rankRange", f"rankStart={self.start}, rankEnd={'unbounded' if self.end is None else self.end}"
        if self.partition_by:
            yield "partitionBy", [str(reference) for reference in self.partition_by]
        if self.order_by:
            yield "orderBy", [str(order) for order in self.order_by]
        yield "select", list(self.resolved_schema.column_names)
