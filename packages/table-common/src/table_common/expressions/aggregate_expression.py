"""Aggregates that are pushed into a source."""

from __future__ import annotations

from table_common.annotation import override
from table_common.expressions.expression import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions.definition import FunctionDefinition
from table_common.types.logical import LogicalType


@dataclass(frozen=True, slots=True)
class AggregateExpression(ResolvedExpression):
    """An aggregate function over columns of a table.

    ``COUNT(*)`` has no arguments. ``filter`` is a BOOLEAN column: only rows in which it is true count. Functions are compared by
    ``function.name``: ``COUNT``, ``SUM``, ``MIN``, ``MAX``.

    Source: Flink's ``org.apache.flink.table.expressions.AggregateExpression``.

    Example:
        >>> from table_common.functions.builtin import aggregates
        >>> from table_common.types import BigIntType
        >>> str(AggregateExpression(aggregates.COUNT, (), BigIntType(nullable=False)))
        'COUNT(*)'
    """

    function: FunctionDefinition
    args: tuple[FieldReferenceExpression, ...]
    output_type: LogicalType
    distinct: bool = False
    filter: FieldReferenceExpression | None = None

    @override
    def as_serializable_string(self) -> str:
        args = ", ".join(arg.as_serializable_string() for arg in self.args)
        text = self.function.render_sql([("DISTINCT " if self.distinct else "") + args if args else "*"])
        return text + (f" FILTER (WHERE {self.filter.as_serializable_string()})" if self.filter is not None else "")

    @override
    def as_summary_string(self) -> str:
        args = ", ".join(arg.as_summary_string() for arg in self.args)
        text = self.function.render_sql([("DISTINCT " if self.distinct else "") + args if args else "*"])
        return text + (f" FILTER (WHERE {self.filter})" if self.filter is not None else "")
