"""An aggregate call inside a resolved expression, before grouping extracts it; used within ``resolution`` only."""

from __future__ import annotations

from collections.abc import Iterable

from table_api.operations import SortOrder
from table_common.annotation import override
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_common.tree import preorder
from table_common.types import LogicalType


@dataclass(frozen=True, slots=True)
class AggregateExpression(ResolvedExpression):
    """An aggregate with its arguments over the rows before grouping. ``COUNT(*)`` has no arguments."""

    function: FunctionDefinition
    args: tuple[ResolvedExpression, ...]
    output_type: LogicalType
    distinct: bool = False
    filter: ResolvedExpression | None = None
    order_by: tuple[SortOrder, ...] = ()

    @override
    def as_serializable_string(self) -> str:
        first, *rest = [arg.as_serializable_string() for arg in self.args] or ["*"]
        text = self.function.render_sql([("DISTINCT " if self.distinct else "") + first, *rest])
        return text + (f" FILTER (WHERE {self.filter})" if self.filter is not None else "")


def contains_aggregate(expressions: Iterable[ResolvedExpression]) -> bool:
    """Returns whether an aggregate call is anywhere in the expressions."""
    return any(isinstance(node, AggregateExpression) for expression in expressions for node in preorder(expression, ResolvedExpression))
